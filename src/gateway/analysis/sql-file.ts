import path from 'node:path';

import { asRecord } from '../../endpoint/as-record.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import type { SqlReader } from '../../endpoint/endpoint-loader.js';
import { readSource } from '../../endpoint/endpoint-source.js';
import { namesInOrder } from '../../endpoint/page-order.js';
import { optionalColumnsOf, placeholdersOf } from '../../endpoint/sql-file/select-parameters.js';
import { parseSqlFile, type ParsedSqlFile } from '../../endpoint/sql-file/parse-sql-file.js';
import { endpointOf, placeForColumns } from '../../endpoint/sql-file/read-sql-endpoint.js';
import type { SelectProblem } from '../../endpoint/sql-file/select/select-text.js';
import { SqlFileError } from '../../endpoint/sql-file/sql-file-error.js';
import { problemsOfSqlFile } from '../../endpoint/sql-file/sql-file-problems.js';
import type { FileProblem } from '../../endpoint/file-problems.js';

/** A `.sql` endpoint file, as it was loaded. */
export interface SqlFile extends ParsedSqlFile {
  /** Absolute. */
  readonly path: string;
  /** As messages name it: `endpoints/visits.by-day.sql`. */
  readonly shownPath: string;
  /** Whether the header has no `columns`; those of the loaded endpoint are then made up. */
  readonly lacksColumns: boolean;
}

/** The `.sql` files of a project, by the endpoint that was read from them, with whatever settings. */
export class SqlFiles implements SqlReader {
  private readonly byQuery = new WeakMap<Endpoint['query'], SqlFile>();

  constructor(private readonly endpointsFolder: string) {}

  /** Reads a file, also one whose header lacks `columns`. */
  readonly read: SqlReader['read'] = (source, file) => {
    const parsed = parseSqlFile(source);
    const lacksColumns = placeForColumns(source, parsed.header) !== undefined;
    const options = lacksColumns ? { columnsWhereMissing: possibleColumns(parsed) } : {};
    const endpoint = endpointOf(parsed, options);
    const shownPath = path.join(
      path.basename(this.endpointsFolder),
      path.relative(this.endpointsFolder, file),
    );
    this.byQuery.set(endpoint.query, { ...parsed, path: file, shownPath, lacksColumns });
    return endpoint;
  };

  readonly lacksColumns = (endpoint: Endpoint): boolean => this.of(endpoint)?.lacksColumns ?? false;

  /** The file of an endpoint; undefined for one in TypeScript. */
  of({ query }: Endpoint): SqlFile | undefined {
    return this.byQuery.get(query);
  }
}

/**
 * The file of an endpoint that was loaded, read again.
 *
 * @param shownPath as messages name it.
 * @returns undefined where the endpoint is one in TypeScript, and where the file was changed or removed since.
 */
export async function readSqlFile(
  endpointsFolder: string,
  shownPath: string,
  { digest }: Endpoint,
): Promise<SqlFile | undefined> {
  if (!shownPath.endsWith('.sql')) return undefined;
  const file = path.resolve(endpointsFolder, '..', shownPath);
  const files = new SqlFiles(endpointsFolder);
  try {
    const source = await readSource(endpointsFolder, path.relative(endpointsFolder, file));
    const endpoint = files.read(String(source), file);
    return endpoint.digest === digest ? files.of(endpoint) : undefined;
  } catch {
    // Only the places of problems are in it.
    return undefined;
  }
}

/** Every name that the file uses as one of a column, so that only ClickHouse decides which of them exist. */
function possibleColumns({ header, select }: ParsedSqlFile): Readonly<Record<string, string>> {
  const { parameters, pages, pieces } = header.value as {
    readonly parameters?: Readonly<Record<string, { readonly choices?: readonly string[] } | null>> | null;
    readonly pages?: unknown;
    readonly pieces?: unknown;
  };
  const choices = placeholdersOf(select.pieces)
    .filter(({ piece }) => piece.type === 'Identifier')
    .flatMap(({ piece }) => parameters?.[piece.name]?.choices ?? []);
  const names = [...optionalColumnsOf(select.pieces).keys(), ...choices, 'any'];
  const ofPages = namesInOrder(asRecord(pages)['by']);
  const ofPieces = namesInOrder([asRecord(pieces)['bucket']]);
  return Object.fromEntries([
    ...[...names, ...ofPages].map((name) => [name, 'String'] as const),
    ...ofPieces.map((name) => [name, 'DateTime'] as const),
  ]);
}

/** A problem of a file with its path, line and column, and an excerpt with carets. */
export function problemInFile(file: SqlFile, problem: SelectProblem): FileProblem {
  const { code, problem: sentence } = problem;
  return { code, problem: sentence, ...sqlProblems(file, new SqlFileError([problem]))[0] };
}

/** The problems of a text that could not be read as a `.sql` file. @throws the error, where it is another one */
export function sqlProblems(
  { shownPath, source }: Pick<SqlFile, 'shownPath' | 'source'>,
  error: unknown,
): readonly FileProblem[] {
  const problems = problemsOfSqlFile(error, source);
  if (problems === undefined) throw error;
  return problems.map((problem) => ({ file: shownPath, ...problem }));
}
