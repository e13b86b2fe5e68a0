import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { ifPresent } from '../../files/if-present.js';
import { SchemaFileError } from './schema-file-error.js';
import { withoutComments } from './statement-text.js';

/** One numbered SQL file of the schema. */
export interface Migration {
  /** Name under which a database records the file: `clickhouse-schema/0001_name.sql`, or `querygate/0001_name.sql` for the gateway's own. */
  readonly name: string;
  /** Name under which version 0.1 recorded the file: the file's name without its ending. */
  readonly earlierName?: string;
  readonly statements: readonly string[];
  /** SHA-256 (hex) of the file's text. */
  readonly checksum: string;
}

/** Table that records the applied schema files of a database. */
export const RECORD_TABLE = 'schema_migrations';

/** Prefix under which the gateway's own files are recorded. */
const GATEWAY = 'querygate';
const ENGINE_FOLDER = fileURLToPath(new URL('./engine', import.meta.url));
/** Statements that create a table whose name this version or a later one uses itself. */
const OWN_TABLE =
  /^CREATE\s+(?:OR\s+REPLACE\s+)?(?:TABLE|(?:MATERIALIZED\s+)?VIEW|DICTIONARY)\s+(?:IF\s+NOT\s+EXISTS\s+)?(?:[\w`"]+\.)?[`"]?(gateway_requests|gateway_requests_local|(?:querygate_|schema_migrations)\w*)\b/i;

/**
 * Reads the schema files of the gateway, followed by those of the project.
 *
 * @param folder folder of the project's schema. Where it is missing, the project has no tables of its own.
 * @throws Error where two files have the same number, or one creates a table of the gateway.
 */
export async function readSchema(folder: string): Promise<readonly Migration[]> {
  const [own, project] = await Promise.all([
    readMigrations(ENGINE_FOLDER, GATEWAY),
    readMigrations(folder, 'clickhouse-schema'),
  ]);
  if (own.length === 0) throw new Error(`The gateway’s own schema files are missing in ${ENGINE_FOLDER}.`);
  for (const { name, statements } of project) rejectOwnTables(name, statements);
  return [
    ...own.map((file) => ({ ...file, earlierName: EARLIER_NAMES[file.name] ?? file.name })),
    ...project,
  ];
}

/** Whether a recorded name belongs to a file of the gateway itself. */
export function isGatewayFile(name: string): boolean {
  return name.startsWith(`${GATEWAY}/`);
}

/** Names of the gateway's own files in version 0.1, which had them in the project's folder. */
const EARLIER_NAMES: Readonly<Record<string, string>> = {
  'querygate/0001_gateway_requests.sql': '0011_gateway_requests',
};

/** Reads the numbered files of a folder, in order. A semicolon at the end of a line ends a statement. */
async function readMigrations(folder: string, recordedIn: string): Promise<readonly Migration[]> {
  const files = ((await ifPresent(readdir(folder))) ?? []).filter((file) => file.endsWith('.sql')).sort();
  const misnamed = files.find((file) => !/^\d{4}_\w+\.sql$/.test(file));
  if (misnamed !== undefined) {
    throw new SchemaFileError(
      `${recordedIn}/${misnamed} must be named NNNN_name.sql: four digits, “_”, then letters, digits and “_”`,
    );
  }
  files.forEach((file, index) => {
    const previous = files[index - 1];
    if (previous?.slice(0, 4) === file.slice(0, 4)) {
      throw new SchemaFileError(`${previous} and ${file} have the same number`);
    }
  });
  return Promise.all(files.map((file) => readMigration(folder, file, recordedIn)));
}

async function readMigration(folder: string, file: string, recordedIn: string): Promise<Migration> {
  const text = await readFile(path.join(folder, file), 'utf8');
  return {
    name: `${recordedIn}/${file}`,
    earlierName: path.basename(file, '.sql'),
    statements: text
      .split(/;[ \t]*(?:\r?\n|$)/)
      .map((statement) => statement.trim())
      .filter((statement) => withoutComments(statement) !== ''),
    checksum: createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex'),
  };
}

function rejectOwnTables(name: string, statements: readonly string[]): void {
  for (const statement of statements) {
    const table = OWN_TABLE.exec(withoutComments(statement))?.[1];
    if (table === undefined) continue;
    throw new SchemaFileError(
      `${name} creates ${table}, which is a name of the gateway, as are all that begin with querygate_ or schema_migrations. ` +
        'Delete the file if it is 0011_gateway_requests.sql of version 0.1; otherwise give the table another name.',
    );
  }
}
