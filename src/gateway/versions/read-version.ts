import { createHash } from 'node:crypto';

import { SETTINGS_OF_VERSIONS } from '../clickhouse/parts-of-version.js';
import {
  databasesOf,
  DEFINITION,
  definitionsOf,
  FULL_NAME,
  type QueryData,
  type ReadRows,
} from './query-data.js';

/** The state of the tables of a query on one server. */
export interface TablesVersion {
  /** Hash; equal hashes: the same data parts, tables and views on the same server, and so the same rows. */
  readonly version: string;
  /** The UUID of the server. */
  readonly server: string;
  /** Of the tables and views, as {@link QueryData} has them. */
  readonly definitions: string;
  /** The names of the parts, by table. */
  readonly parts: Readonly<Record<string, readonly string[]>>;
  /** Why equal versions do not mean equal rows. */
  readonly problem?: string;
}

/** Parts of all tables together above which a query is not bound to them: its text would be too long. */
const MAX_PARTS = 5000;

interface VersionRow {
  readonly release: string;
  readonly server: string;
  readonly objects: readonly (readonly [full: string, definition: string])[];
  readonly parts: readonly (readonly [full: string, hash: string, names: readonly string[]])[];
  readonly policies: number;
}

const IN_OBJECTS = 'database IN {databases:Array(String)} AND full IN {objects:Array(String)}';
const OF_TABLE = "database || '.' || table AS full";

// The rows of immutable parts with these checksums are the same rows; patch parts are among them.
const VERSION = `SELECT version() AS release, toString(serverUUID()) AS server,
  (SELECT groupArray((full, definition)) FROM (
    SELECT ${FULL_NAME} AS full, ${DEFINITION} AS definition FROM system.tables WHERE ${IN_OBJECTS} ORDER BY full
  )) AS objects,
  (SELECT groupArray((full, hash, names)) FROM (
    SELECT full, lower(hex(sipHash128(groupArray(name), groupArray(hash_of_all_files)))) AS hash, groupArray(name) AS names
    FROM (
      SELECT ${OF_TABLE}, name, hash_of_all_files FROM system.parts WHERE active AND ${IN_OBJECTS} ORDER BY full, name
    ) GROUP BY full ORDER BY full
  )) AS parts,
  (SELECT toUInt32(count()) FROM (
    SELECT table, ${OF_TABLE} FROM system.row_policies
    WHERE database IN {databases:Array(String)} AND (table = '' OR full IN {objects:Array(String)})
  )) AS policies`;

const COLUMNS_OF_PARTS = `SELECT ${OF_TABLE}, column, toUInt32(count()) AS parts FROM system.parts_columns
  WHERE active AND NOT startsWith(partition_id, 'patch-') AND column IN {columns:Array(String)} AND ${IN_OBJECTS}
  GROUP BY full, column`;

/**
 * Reads the version of the tables of a query.
 *
 * @throws Error where ClickHouse does not tell it
 */
export async function readVersion(data: QueryData, readRows: ReadRows): Promise<TablesVersion> {
  const { objects } = data;
  const [row] = await readRows<VersionRow>(VERSION, { objects, databases: databasesOf(objects) });
  if (!row) throw new Error('ClickHouse returned no version of the tables');
  const definitions = definitionsOf(row.objects);
  const hashes = row.parts.map(([full, hash]) => [full, hash]);
  const version = createHash('sha256')
    .update(JSON.stringify([row.release, row.server, SETTINGS_OF_VERSIONS, definitions, hashes]))
    .digest('base64url');
  const parts = Object.fromEntries(row.parts.map(([full, , names]) => [full, names]));
  const problem = problemOf(row) ?? (await problemOfColumns(data, parts, readRows));
  return { version, server: row.server, definitions, parts, ...(problem !== undefined && { problem }) };
}

function problemOf({ policies, parts }: VersionRow): string | undefined {
  if (policies > 0) return 'a table that it reads has a row policy';
  const count = parts.reduce((sum, [, , names]) => sum + names.length, 0);
  return count > MAX_PARTS ? `its tables have ${count} parts, more than ${MAX_PARTS}` : undefined;
}

/** The default of a column that a part lacks is computed when the part is read. */
async function problemOfColumns(
  { computed }: QueryData,
  parts: TablesVersion['parts'],
  readRows: ReadRows,
): Promise<string | undefined> {
  if (computed.size === 0) return undefined;
  const objects = [...computed.keys()];
  const columns = [...new Set([...computed.values()].flat())];
  const rows = await readRows<{ full: string; column: string; parts: number }>(COLUMNS_OF_PARTS, {
    ...{ objects, columns, databases: databasesOf(objects) },
  });
  for (const [table, names] of computed) {
    const all = (parts[table] ?? []).filter((name) => !name.startsWith('patch-')).length;
    const lacking = names.find(
      (name) => (rows.find(({ full, column }) => full === table && column === name)?.parts ?? 0) !== all,
    );
    if (lacking !== undefined)
      return `parts of ${table} lack the column ${lacking}, whose default is computed at each read: ALTER TABLE ${table} MATERIALIZE COLUMN ${lacking}`;
  }
  return undefined;
}
