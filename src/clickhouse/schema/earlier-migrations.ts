import { ClickHouseError, type ClickHouseClient } from '@clickhouse/client';

import { quoteName } from '../../endpoint/quote-sql.js';

/** The table that records the applied schema files of a database. */
export const RECORD_TABLE = 'schema_migrations';

/** Files of the schema before the first release, except those with a name that the current schema uses too. */
const EARLIER_FILES = [
  ...['0012_mark_rows', '0013_mark_existing_rows', '0014_function_relay_rollups'],
  ...['0015_edge_request_rollups', '0016_custom_event_rollups', '0017_roll_up_new_rows'],
  ...['0018_fill_function_relay_minutes', '0019_fill_function_relay_hours', '0020_fill_function_relay_days'],
  ...['0021_fill_edge_request_minutes', '0022_fill_edge_request_hours', '0023_fill_custom_event_days'],
  ...['0024_fill_redirect_days', '0025_edge_logs_url_index', '0026_drop_filled'],
  '0027_edge_logs_url_rest_index',
];
/** SHA-256 (hex) of the earlier 0001_edge_logs.sql, the first file of each of its databases. */
const EARLIER_CHECKSUM = '106deeebf426406fe360c3a99236c2d313b70e5c3518c201842d1b5765fc4185';

/** A table of both schemas with a column of the current one: a check without access to the record table. */
const NEW_COLUMN = { table: 'edge_logs', column: 'origin' };

/** The earlier views. They name their target tables with the database, so a renamed database breaks them. */
const EARLIER_VIEWS = [
  ...['custom_event_days_view', 'edge_request_hours_view', 'edge_request_minutes_view'],
  ...['function_relay_days_view', 'function_relay_hours_view', 'function_relay_minutes_view'],
  'redirect_days_view',
];

/** The database to check, and its location. */
export interface SchemaLocation {
  readonly database: string;
  /** Data folder of the embedded server; absent for an external server. */
  readonly dataDir?: string | undefined;
  readonly isCluster?: boolean;
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
  const { database } = location;
  const isEarlier = await recordsEarlierFiles(client, database, signal).catch((error: unknown) =>
    isError(error, 'ACCESS_DENIED') ? lacksNewColumn(client, database, signal) : isAbsent(error),
  );
  if (isEarlier) throw new EarlierMigrations(explain(location));
}

async function recordsEarlierFiles(
  client: ClickHouseClient,
  database: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const result = await client.query({
    query: `
      SELECT count() AS files FROM {database:Identifier}.${RECORD_TABLE}
      WHERE name IN {files:Array(String)} OR checksum = {checksum:String}`,
    query_params: { database, files: EARLIER_FILES, checksum: EARLIER_CHECKSUM },
    format: 'JSONCompactEachRow',
    ...(signal && { abort_signal: signal }),
  });
  const [[files] = [0]] = await result.json<[string | number]>();
  return Number(files) > 0;
}

/** Whether the table exists without the column; false if the user may not read the table. */
async function lacksNewColumn(
  client: ClickHouseClient,
  database: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  // DESCRIBE analyzes the query without running it: on a cluster, it contacts no shard.
  const query = `DESCRIBE TABLE (SELECT ${NEW_COLUMN.column} FROM {database:Identifier}.${NEW_COLUMN.table})`;
  return client
    .query({ query, query_params: { database }, ...(signal && { abort_signal: signal }) })
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

function explain({ database, dataDir, isCluster = false }: SchemaLocation): string {
  const found = `The database ${database} has the tables of an earlier schema, which this release does not read. Nothing was changed. `;
  if (dataDir !== undefined) {
    return `${found}Move the data folder, or delete it:\n\n  mv ${dataDir} ${dataDir}-before\n  rm -r ${dataDir}`;
  }
  if (isCluster) {
    return (
      `${found}Set CLICKHOUSE_DATABASE to another name, migrate, and copy what you want to keep:\n\n` +
      `  INSERT INTO other.edge_logs SELECT * FROM ${quoteName(database)}.edge_logs\n\n` +
      `Or drop the tables:\n\n  DROP DATABASE ${quoteName(database)} ON CLUSTER … SYNC`
    );
  }
  const before = quoteName(`${database}_before`);
  const dropView = (view: string): string =>
    `  DROP VIEW IF EXISTS ${quoteName(database)}.${quoteName(view)} SYNC\n`;
  return (
    `${found}Drop its views, move the tables, migrate again, and copy what you want to keep, table by table:\n\n` +
    EARLIER_VIEWS.map(dropView).join('') +
    `  RENAME DATABASE ${quoteName(database)} TO ${before}\n` +
    `  INSERT INTO ${quoteName(database)}.edge_logs SELECT * FROM ${before}.edge_logs\n\n` +
    `Or drop them:\n\n  DROP DATABASE ${quoteName(database)} SYNC`
  );
}
