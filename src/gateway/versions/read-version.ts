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
  /** Hash of all of it but the data parts. */
  readonly base: string;
  /** The data parts, by table. */
  readonly partitions: Readonly<Record<string, readonly Partition[]>>;
  /** Why equal versions do not mean equal rows. */
  readonly problem?: string;
}

/** The data parts of one partition. */
export interface Partition {
  readonly id: string;
  /** Hash over the parts, those with updates of rows among them. */
  readonly hash: string;
  /** Of the parts. */
  readonly names: readonly string[];
  /** Seconds since 1970 of its first and its last row; 0 where the partition key has no DateTime. */
  readonly since: number;
  readonly until: number;
}

/** The names of the parts of a table. */
export const partsOf = (
  { partitions }: Pick<TablesVersion, 'partitions'>,
  table: string,
): readonly string[] => (partitions[table] ?? []).flatMap(({ names }) => names);

/** Parts of all tables together above which a query is not bound to them: its text would be too long. */
const MAX_PARTS = 5000;
/** Characters of their names; ClickHouse's default of `max_query_size` is 262,144. */
const MAX_NAMES = 200_000;

interface VersionRow {
  readonly release: string;
  readonly server: string;
  readonly objects: readonly (readonly [full: string, definition: string])[];
  readonly parts: readonly (readonly [
    full: string,
    id: string,
    hash: string,
    names: readonly string[],
    since: number,
    until: number,
  ])[];
  /** Changes that parts do not have yet, although the definitions do. */
  readonly mutations: readonly (readonly [full: string, id: string, command: string])[];
  readonly policies: number;
}

const IN_OBJECTS = 'database IN {databases:Array(String)} AND full IN {objects:Array(String)}';
const OF_TABLE = "database || '.' || table AS full";

// The rows of immutable parts with these checksums are the same rows. Patch parts are among them: `patch-HASH-ID` are updates of the
// rows of the partition ID.
const VERSION = `SELECT version() AS release, toString(serverUUID()) AS server,
  (SELECT groupArray((full, definition)) FROM (
    SELECT ${FULL_NAME} AS full, ${DEFINITION} AS definition FROM system.tables WHERE ${IN_OBJECTS} ORDER BY full
  )) AS objects,
  (SELECT groupArray((full, id, hash, names, since, until)) FROM (
    SELECT full, id, lower(hex(sipHash128(groupArray(name), groupArray(hash_of_all_files)))) AS hash,
      groupArray(name) AS names, minIf(first, NOT isPatch) AS since, maxIf(last, NOT isPatch) AS until
    FROM (
      SELECT ${OF_TABLE}, startsWith(partition_id, 'patch-') AS isPatch,
        if(isPatch, substring(partition_id, ${'patch-'.length + 32 + '-'.length + 1}), partition_id) AS id, name, hash_of_all_files,
        toUnixTimestamp(min_time) AS first, toUnixTimestamp(max_time) AS last
      FROM system.parts WHERE active AND ${IN_OBJECTS} ORDER BY full, id, name
    ) GROUP BY full, id ORDER BY full, id
  )) AS parts,
  (SELECT groupArray((full, mutation_id, command)) FROM (
    SELECT ${OF_TABLE}, mutation_id, command FROM system.mutations WHERE NOT is_done AND ${IN_OBJECTS}
    ORDER BY full, mutation_id, command
  )) AS mutations,
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
  const base = hashOf(row.release, row.server, SETTINGS_OF_VERSIONS, definitions, row.mutations);
  const partitions: Record<string, Partition[]> = {};
  for (const [full, id, hash, names, since, until] of row.parts)
    (partitions[full] ??= []).push({ id, hash, names, since, until });
  const problem = problemOf(row) ?? (await problemOfColumns(data, partitions, readRows));
  return {
    ...{ version: versionOf(base, partitions), base, server: row.server, definitions, partitions },
    ...(problem !== undefined && { problem }),
  };
}

/** Hash over the data parts of tables, and over what else decides which rows they have. */
export function versionOf(base: string, partitions: TablesVersion['partitions']): string {
  const hashes = Object.entries(partitions).map(([full, of]) => [full, of.map(({ id, hash }) => [id, hash])]);
  return hashOf(base, hashes);
}

const hashOf = (...values: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(values)).digest('base64url');

function problemOf({ policies, parts }: VersionRow): string | undefined {
  if (policies > 0) return 'a table that it reads has a row policy';
  const names = parts.flatMap(([, , , of]) => of);
  if (names.length > MAX_PARTS) return `its tables have ${names.length} parts, more than ${MAX_PARTS}`;
  const characters = names.reduce((sum, name) => sum + name.length + "'',".length, 0);
  return characters > MAX_NAMES
    ? `the names of its tables’ parts have ${characters} characters, more than ${MAX_NAMES}`
    : undefined;
}

/** The default of a column that a part lacks is computed when the part is read. */
async function problemOfColumns(
  { computed }: QueryData,
  partitions: TablesVersion['partitions'],
  readRows: ReadRows,
): Promise<string | undefined> {
  if (computed.size === 0) return undefined;
  const objects = [...computed.keys()];
  const columns = [...new Set([...computed.values()].flat())];
  const rows = await readRows<{ full: string; column: string; parts: number }>(COLUMNS_OF_PARTS, {
    ...{ objects, columns, databases: databasesOf(objects) },
  });
  for (const [table, names] of computed) {
    const all = partsOf({ partitions }, table).filter((name) => !name.startsWith('patch-')).length;
    const lacking = names.find(
      (name) => (rows.find(({ full, column }) => full === table && column === name)?.parts ?? 0) !== all,
    );
    if (lacking !== undefined)
      return `parts of ${table} lack the column ${lacking}, whose default is computed at each read: ALTER TABLE ${table} MATERIALIZE COLUMN ${lacking}`;
  }
  return undefined;
}
