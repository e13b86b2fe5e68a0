import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { createJiti, type Jiti } from 'jiti';

import { ifPresent } from '../files/if-present.js';
import { problemsOfChoices } from './choices-from.js';
import { EndpointDefinitionError } from './definition-error.js';
import { isEndpoint, type Endpoint } from './endpoint.js';
import { problemsIn } from './file-problems.js';
import { PUBLIC_API } from './public-api.js';
import { EndpointRegistry } from './registry.js';
import { readSqlEndpoint } from './sql-file/read-sql-endpoint.js';

/** How the files in SQL are read. */
export interface SqlReader {
  /** @param file absolute. @throws SqlFileError */
  readonly read: (source: string, file: string) => Endpoint;
  /** Whether the header of an endpoint that it read has no `columns`, so that nothing is known of them. */
  readonly lacksColumns: (endpoint: Endpoint) => boolean;
}

const SQL_READER: SqlReader = { read: (source) => readSqlEndpoint(source), lacksColumns: () => false };

/**
 * Loads every endpoint file of a folder and its subfolders. A file or folder whose name begins with `_` or `.` contains no
 * endpoints; endpoint files may import it. TypeScript is translated without a type check. Wherever the files are, they get
 * this gateway's own `querygate`.
 *
 * @param sqlReader for a command that accepts files without `columns`.
 * @throws Error that lists all problems of all files, each with its file and line.
 */
export async function loadEndpoints(folder: string, sqlReader = SQL_READER): Promise<EndpointRegistry> {
  const files = await endpointFiles(folder);
  if (files.length === 0) {
    throw new Error(
      `There are no endpoint files in ${folder}. Name the folder of the project with --project or PROJECT_DIR ` +
        '(in the Docker image, mount it: -v ./my-project:/project:ro), ' +
        'or create an endpoint: docs/how-to/write-an-endpoint.md shows how.',
    );
  }
  const endpoints = new Map<string, Endpoint>();
  const problems: string[] = [];
  const jiti = createLoader(folder);
  for (const file of files) {
    const onExit = (): void => {
      process.stderr.write(
        `${path.join(path.basename(folder), file)} ended the process while it was loaded\n`,
      );
      process.exitCode = 1;
    };
    process.once('exit', onExit);
    try {
      const endpoint = await endpointIn(folder, file, { jiti, sqlReader });
      rejectDuplicate(endpoint, endpoints);
      endpoints.set(path.join(path.basename(folder), file), endpoint);
    } catch (error) {
      problems.push(...(await problemsIn(folder, file, error)));
    } finally {
      process.off('exit', onExit);
    }
  }
  // A file that could not be loaded may be the one that another names.
  if (problems.length === 0) problems.push(...(await problemsOfReferences(folder, endpoints, sqlReader)));
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return new EndpointRegistry([...endpoints.values()]);
}

function createLoader(folder: string): Jiti {
  return createJiti(path.join(folder, path.sep), {
    // Other users of the machine could write to a cache in the temporary folder.
    fsCache: false,
    // Node never forgets a cached module, so a file that changed could not be loaded again.
    moduleCache: false,
    interopDefault: false,
    virtualModules: { querygate: PUBLIC_API },
  });
}

const NOT_ENDPOINTS = /^(?:[._].*|node_modules)$/;
const ENDPOINT_FILE = /(?<!\.d)\.(?:ts|mjs|js|sql)$/;

/**
 * Paths of the endpoint files, relative to the folder. Follows links, because a mounted folder may consist of links.
 *
 * @param visited real paths of the folders above, which a link may lead to.
 */
export async function endpointFiles(
  folder: string,
  below = '',
  visited: readonly string[] = [],
): Promise<readonly string[]> {
  const here = await ifPresent(realpath(path.join(folder, below)));
  if (here === undefined || visited.includes(here)) return [];
  const files: string[] = [];
  for (const name of (await readdir(here)).sort()) {
    if (NOT_ENDPOINTS.test(name)) continue;
    const file = path.join(below, name);
    // A link that leads nowhere is reported when the file is loaded, with the problems of all files.
    const found = await stat(path.join(folder, file)).catch(() => undefined);
    if (found?.isDirectory()) files.push(...(await endpointFiles(folder, file, [...visited, here])));
    else if (found?.isFile() !== false && ENDPOINT_FILE.test(name)) files.push(file);
  }
  return files;
}

interface Readers {
  readonly jiti: Jiti;
  readonly sqlReader: SqlReader;
}

/** @throws Error that says what is wrong with the file. */
async function endpointIn(folder: string, file: string, { jiti, sqlReader }: Readers): Promise<Endpoint> {
  const absolute = path.join(folder, file);
  const { name, ext } = path.parse(file);
  const endpoint =
    ext === '.sql'
      ? sqlReader.read(textOf(await readFile(absolute)), absolute)
      : exportOf(await jiti.import(absolute));
  if (name === endpoint.name) return endpoint;
  throw problemOf('name', `the endpoint ${endpoint.name} must be in a file ${endpoint.name}${ext}`);
}

/** @throws Error where the bytes are not UTF-8: other text would run another query. */
function textOf(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  const line = bytes.toString().split('\u{FFFD}', 1)[0]?.split('\n').length ?? 1;
  throw new Error(`line ${line} is not UTF-8: save the file as UTF-8`);
}

/** @throws Error that says what the file must export. */
function exportOf(module: unknown): Endpoint {
  const exported = isEndpoint(module) ? module : (module as { readonly default?: unknown }).default;
  if (isEndpoint(exported)) return exported;
  throw new Error('the default export is not the result of defineEndpoint of querygate');
}

/** The mistakes in what endpoints say about each other. @param endpoints by file, below the folder's own name */
async function problemsOfReferences(
  folder: string,
  endpoints: ReadonlyMap<string, Endpoint>,
  { lacksColumns }: SqlReader,
): Promise<readonly string[]> {
  const byName = new Map([...endpoints.values()].map((endpoint) => [endpoint.name, endpoint]));
  const problems: string[] = [];
  for (const [file, endpoint] of endpoints) {
    const found = problemsOfChoices(endpoint, byName, lacksColumns);
    if (found.length === 0) continue;
    const below = path.relative(path.basename(folder), file);
    problems.push(...(await problemsIn(folder, below, new EndpointDefinitionError(found))));
  }
  return problems;
}

function rejectDuplicate({ id, name }: Endpoint, earlier: ReadonlyMap<string, Endpoint>): void {
  for (const [file, other] of earlier) {
    if (other.name === name) throw problemOf('name', `${file} has the same name ${name}`);
    if (other.id === id)
      throw problemOf('id', `${file} has the same id ${id}; here is a new one: ${randomUUID()}`);
  }
}

const problemOf = (key: string, problem: string): Error =>
  new EndpointDefinitionError([{ path: [key], problem }]);
