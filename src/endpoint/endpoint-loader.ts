import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';

import { camelName } from './camel-name.js';
import { problemsOfReferences } from './references.js';
import { concurrently } from './concurrently.js';
import { EndpointDefinitionError } from './definition-error.js';
import { isEndpoint, type Endpoint } from './endpoint.js';
import { endpointFiles } from './endpoint-files.js';
import { readSource, requireInProject } from './endpoint-source.js';
import { problemsIn, type FileProblem } from './file-problems.js';
import { createImporter } from './import-module.js';
import { problem, ProblemError, type Problem } from './problems.js';
import { parseSqlFile, possibleColumns } from './sql-file/parse-sql-file.js';
import { endpointOf } from './sql-file/read-sql-endpoint.js';

/** What the endpoint files of a folder contain. */
export interface LoadedFiles {
  /** The endpoints of the files without a problem, by file: `endpoints/logs/errors.sql`. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** The problems, in the order of the files. */
  readonly problems: readonly FileProblem[];
}

/**
 * Loads the endpoint files of a folder and its subfolders, again after each change. A file or folder whose name begins with
 * `_` or `.` contains no endpoints; endpoint files may import it. TypeScript is translated without a type check. Wherever the
 * files are, they get this gateway's own `querygate`.
 */
export class EndpointLoader {
  private readonly importFile: (file: string) => Promise<unknown>;
  /** What was read last from a file in SQL: an equal text is the same endpoint. */
  private fromSql = new Map<string, Endpoint>();
  /** The file that had each id and each name when the files were loaded last. */
  private holders: ReadonlyMap<string, string> = new Map();

  /** @param mayLackColumns whether a `.sql` file may have no `columns`, which are then requested from ClickHouse. */
  constructor(
    private readonly folder: string,
    private readonly mayLackColumns = false,
  ) {
    this.importFile = createImporter(folder);
  }

  /** Never rejects because of a file. */
  async load(): Promise<LoadedFiles> {
    const { folder } = this;
    const files = await endpointFiles(folder);
    if (files.length === 0) return { endpoints: new Map(), problems: [problem('FILES_MISSING', folder)] };
    const found = new Map<string, Endpoint>();
    const mistakes = new Map<string, readonly FileProblem[]>();
    const fromSql = new Map<string, Endpoint>();
    const bytes = await readSqlFiles(folder, files);
    const pause = pauses();
    for (const file of files) {
      await pause();
      try {
        found.set(file, await this.endpointIn(file, bytes, fromSql));
      } catch (error) {
        mistakes.set(file, await problemsIn(folder, file, error));
      }
    }
    this.fromSql = fromSql;
    for (const [file, error] of this.duplicatesIn(found)) {
      found.delete(file);
      mistakes.set(file, await problemsIn(folder, file, error));
    }
    const shown = (file: string): string => path.join(path.basename(folder), file);
    const endpoints = new Map([...found].map(([file, endpoint]) => [shown(file), endpoint]));
    const problems = files.flatMap((file) => mistakes.get(file) ?? []);
    // A file that could not be loaded may be the one that another names.
    if (problems.length > 0) return { endpoints, problems };
    const ofReferences = await this.mistakesBetween(endpoints);
    for (const { file = '' } of ofReferences) endpoints.delete(file);
    return { endpoints, problems: ofReferences };
  }

  /** The problems between endpoints, such as an unknown successor. @param endpoints by file, below the folder's own name */
  private async mistakesBetween(endpoints: ReadonlyMap<string, Endpoint>): Promise<readonly FileProblem[]> {
    const all = new Map([...endpoints.values()].map((endpoint) => [endpoint.name, endpoint]));
    const problems: FileProblem[] = [];
    for (const [file, endpoint] of endpoints) {
      const found = problemsOfReferences(endpoint, all);
      if (found.length === 0) continue;
      const below = path.relative(path.basename(this.folder), file);
      problems.push(...(await problemsIn(this.folder, below, new EndpointDefinitionError(found))));
    }
    return problems;
  }

  /** The new files whose id or name an earlier file has, such as copies, in the order of the files. */
  private duplicatesIn(found: ReadonlyMap<string, Endpoint>): ReadonlyMap<string, Error> {
    const isHolder = (file: string, { id, name }: Endpoint): boolean =>
      this.holders.get(id) === file && this.holders.get(name) === file;
    const holdersFirst = [...found].sort(
      ([a, one], [b, other]) => Number(isHolder(b, other)) - Number(isHolder(a, one)),
    );
    const holders = new Map<string, string>();
    const duplicates = new Map<string, Error>();
    /** The files of identifiers that are those of a version, and of all others. */
    const identifiers = { versions: new Map<string, string>(), others: new Map<string, string>() };
    for (const [file, { id, name }] of holdersFirst) {
      const identifier = camelName(name);
      const isVersion = name.includes('@');
      const like = identifiers.versions.get(identifier) ?? (isVersion && identifiers.others.get(identifier));
      const shown = (other: string): string => path.join(path.basename(this.folder), other);
      const [ofName, ofId] = [holders.get(name), holders.get(id)];
      if (ofName !== undefined)
        duplicates.set(file, mistakeAt('name', problem('NAME_TAKEN', name, shown(ofName))));
      else if (ofId !== undefined)
        duplicates.set(file, mistakeAt('id', problem('ID_TAKEN', id, shown(ofId), randomUUID())));
      else if (like) duplicates.set(file, mistakeAt('name', problem('TOOL_NAME_TAKEN', name, shown(like))));
      else {
        holders.set(id, file).set(name, file);
        identifiers[isVersion ? 'versions' : 'others'].set(identifier, file);
      }
    }
    this.holders = holders;
    return duplicates;
  }

  /** @throws Error with the problem of the file. */
  private async endpointIn(
    file: string,
    bytes: ReadonlyMap<string, Buffer | Error>,
    fromSql: Map<string, Endpoint>,
  ): Promise<Endpoint> {
    const { name, ext } = path.parse(file);
    const read = bytes.get(file);
    const endpoint = read ? this.readSql(file, read, fromSql) : await this.importEndpoint(file);
    if (name === endpoint.name) return endpoint;
    throw mistakeAt('name', problem('NAME_NOT_OF_FILE', endpoint.name, ext));
  }

  private async importEndpoint(file: string): Promise<Endpoint> {
    await requireInProject(this.folder, file);
    return exportOf(await this.importFile(file));
  }

  private readSql(file: string, read: Buffer | Error, fromSql: Map<string, Endpoint>): Endpoint {
    if (read instanceof Error) throw read;
    const source = textOf(read);
    const earlier = this.fromSql.get(file);
    const endpoint = earlier?.file?.source === source ? earlier : this.endpointOfText(file, source);
    fromSql.set(file, endpoint);
    return endpoint;
  }

  private endpointOfText(file: string, source: string): Endpoint {
    const shownPath = path.join(path.basename(this.folder), file);
    const parsed = parseSqlFile(source, { path: path.join(this.folder, file), shownPath });
    return endpointOf(parsed, this.mayLackColumns ? possibleColumns(parsed) : undefined);
  }
}

/** Milliseconds for which files are read without a pause: requests wait as long, and a reload waits for them as often. */
const SLICE_MS = 15;

/** Returns a function that pauses for requests where they have waited. */
function pauses(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE_MS) return;
    await setImmediate();
    since = performance.now();
  };
}

/** Open files at a time. */
const OPEN_FILES = 32;

/** Reads files together, because one after another each would wait for the requests that are served meanwhile. */
async function readSqlFiles(
  folder: string,
  files: readonly string[],
): Promise<ReadonlyMap<string, Buffer | Error>> {
  const inSql = files.filter((file) => file.endsWith('.sql'));
  const found = new Map<string, Buffer | Error>();
  await concurrently(inSql, OPEN_FILES, async (file) =>
    found.set(file, await readSource(folder, file).catch((error: unknown) => error as Error)),
  );
  return found;
}

/** @throws Error where the bytes are not UTF-8: other text would run another query. */
function textOf(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  const line = bytes.toString().split('\u{FFFD}', 1)[0]?.split('\n').length ?? 1;
  throw new ProblemError(problem('NOT_UTF8', line));
}

/** @throws Error with what the file must export. */
function exportOf(module: unknown): Endpoint {
  const exported = isEndpoint(module) ? module : (module as { readonly default?: unknown }).default;
  if (isEndpoint(exported)) return exported;
  throw new ProblemError(problem('EXPORT_INVALID'));
}

const mistakeAt = (key: string, found: Problem): Error =>
  new EndpointDefinitionError([{ path: [key], ...found }]);
