import { ClickHouseError, type ClickHouseClient } from '@clickhouse/client';

import { quoteName } from '../../endpoint/quote-sql.js';

/** The table that records the applied schema files of a database. */
export const RECORD_TABLE = 'schema_migrations';

/**
 * An earlier schema of a project, which its current files cannot be applied to: the file `earlier-schema.json` beside them.
 */
export interface EarlierSchema {
  /** Names of its files as databases record them, without those that the current schema has too. */
  readonly files: readonly string[];
  /** SHA-256 (hex) of files whose name the current schema has too. */
  readonly checksums: readonly string[];
  /** A table of both schemas with a column of the current one: a check for users who may not read the record. */
  readonly missingColumn: { readonly table: string; readonly column: string };
  /** Its views. They name their target tables with the database, so a renamed database breaks them. */
  readonly views: readonly string[];
}

/** The database to check, and its location. */
export interface SchemaLocation {
  readonly database: string;
  /** Data folder of the embedded server; absent for an external server. */
  readonly dataDir?: string | undefined;
  readonly isCluster?: boolean;
  /** Absent where the project has none. */
  readonly earlier?: EarlierSchema | undefined;
}

/** The database has the tables of the earlier schema; the message names the commands to run. */
export class EarlierMigrations extends Error {}

/**
 * Detects the earlier schema by the record table, or by the tables themselves if the user may not read the record. A
 * database without either passes.
 *
 * @throws EarlierMigrations naming the commands that move or drop the tables.
 */
export async function rejectEarlierMigrations(
  client: ClickHouseClient,
  location: SchemaLocation,
  signal?: AbortSignal,
): Promise<void> {
  const { database, earlier } = location;
  if (!earlier) return;
  const target = { database, earlier, signal };
  const isEarlier = await recordsEarlierFiles(client, target).catch((error: unknown) =>
    isError(error, 'ACCESS_DENIED') ? lacksNewColumn(client, target) : isAbsent(error),
  );
  if (isEarlier) throw new EarlierMigrations(explain(location, earlier));
}

interface CheckTarget {
  readonly database: string;
  readonly earlier: EarlierSchema;
  readonly signal: AbortSignal | undefined;
}

async function recordsEarlierFiles(
  client: ClickHouseClient,
  { database, earlier, signal }: CheckTarget,
): Promise<boolean> {
  const result = await client.query({
    query: `
      SELECT count() AS files FROM {database:Identifier}.${RECORD_TABLE}
      WHERE name IN {files:Array(String)} OR checksum IN {checksums:Array(String)}`,
    query_params: { database, files: earlier.files, checksums: earlier.checksums },
    format: 'JSONCompactEachRow',
    ...(signal && { abort_signal: signal }),
  });
  const [[files] = [0]] = await result.json<[string | number]>();
  return Number(files) > 0;
}

/** Whether the table exists without the column; false if the user may not read the table. */
async function lacksNewColumn(
  client: ClickHouseClient,
  { database, earlier, signal }: CheckTarget,
): Promise<boolean> {
  const { table, column } = earlier.missingColumn;
  // DESCRIBE analyzes the query without running it: on a cluster, it contacts no shard.
  const query = 'DESCRIBE TABLE (SELECT {column:Identifier} FROM {database:Identifier}.{table:Identifier})';
  return client
    .query({ query, query_params: { database, table, column }, ...(signal && { abort_signal: signal }) })
    .then((result) => result.text())
    .then(
      () => false,
      (error: unknown) => isError(error, 'UNKNOWN_IDENTIFIER'),
    );
}

function isError(error: unknown, ...types: readonly string[]): boolean {
  return error instanceof ClickHouseError && types.includes(error.type ?? '');
}

/** Returns false if the database or the table does not exist. @throws any other error */
function isAbsent(error: unknown): false {
  if (isError(error, 'UNKNOWN_DATABASE', 'UNKNOWN_TABLE')) return false;
  throw error;
}

function explain(
  { database, dataDir, isCluster = false }: SchemaLocation,
  { views, missingColumn: { table } }: EarlierSchema,
): string {
  const found = `The database ${database} has the tables of an earlier schema, which this release does not read. Nothing was changed. `;
  if (dataDir !== undefined) {
    return `${found}Move the data folder, or delete it:\n\n  mv ${dataDir} ${dataDir}-before\n  rm -r ${dataDir}`;
  }
  if (isCluster) {
    return (
      `${found}Set CLICKHOUSE_DATABASE to another name, migrate, and copy what you want to keep:\n\n` +
      `  INSERT INTO other.${table} SELECT * FROM ${quoteName(database)}.${table}\n\n` +
      `Or drop the tables:\n\n  DROP DATABASE ${quoteName(database)} ON CLUSTER … SYNC`
    );
  }
  const before = quoteName(`${database}_before`);
  const dropView = (view: string): string =>
    `  DROP VIEW IF EXISTS ${quoteName(database)}.${quoteName(view)} SYNC\n`;
  return (
    `${found}Drop its views, move the tables, migrate again, and copy what you want to keep, table by table:\n\n` +
    views.map(dropView).join('') +
    `  RENAME DATABASE ${quoteName(database)} TO ${before}\n` +
    `  INSERT INTO ${quoteName(database)}.${table} SELECT * FROM ${before}.${table}\n\n` +
    `Or drop them:\n\n  DROP DATABASE ${quoteName(database)} SYNC`
  );
}
