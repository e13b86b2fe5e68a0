import { createHash } from 'node:crypto';

import { SETTINGS_OF_VERSIONS } from '../clickhouse/parts-of-version.js';
import type { DataPartition } from '../query/known-data.js';
import { databasesOf, OBJECT_HASH, definitionsOf, FULL_NAME, type QueryData } from './query-data.js';
import type { ReadRows } from './query-tree.js';

/** The state of the tables of a query on one server. */
export interface TablesVersion {
  /** Hash. Equal hashes mean the same data parts, tables and views on the same server, so the same rows. */
  readonly version: string;
  /** UUID of the server. */
  readonly server: string;
  /** Definitions of the tables and views, in the form of {@link QueryData.definitions}. */
  readonly definitions: string;
  /** Hash of everything except the data parts. */
  readonly base: string;
  /** Partitions with their data parts, by table. */
  readonly partitions: Readonly<Record<string, readonly Partition[]>>;
  /** Why equal versions do not prove equal rows. Undefined where they do. */
  readonly problem?: string;
}

/** One partition and its data parts. */
export interface Partition extends DataPartition {
  /** Names of the data parts. */
  readonly names: readonly string[];
}

/** Names of the data parts of a table. */
export const partsOf = (
  { partitions }: Pick<TablesVersion, 'partitions'>,
  table: string,
): readonly string[] => (partitions[table] ?? []).flatMap(({ names }) => names);

/** Maximum number of data parts that a query may be bound to, over all tables: otherwise its text would be too long. */
const MAX_PARTS = 5000;
/** Maximum length of all data part names together, in characters. ClickHouse's default of `max_query_size` is 262,144. */
const MAX_NAMES = 200_000;

/** A table or view, a mutation that is not done, a row policy, or the server. */
interface StateRow {
  readonly kind: 'object' | 'mutation' | 'policy' | 'server';
  /** Name of the object or of its table. For the server: its UUID. */
  readonly full: string;
  /** Definition of an object, ID of a mutation, or release of the server. */
  readonly what: string;
  /** Command of a mutation. Empty for the others. */
  readonly command: string;
}

interface PartRow {
  readonly full: string;
  readonly partition: string;
  readonly name: string;
  /** Hash of all files of the data part. */
  readonly hash: string;
  readonly since: number;
  readonly until: number;
}

const IN_OBJECTS = 'database IN {databases:Array(String)} AND full IN {objects:Array(String)}';
const OF_TABLE = "database || '.' || table AS full";

// Pending mutations count: the definitions may already have their change, while the data parts do not.
const STATE = `SELECT 'object' AS kind, ${FULL_NAME} AS full, ${OBJECT_HASH} AS what, '' AS command
  FROM system.tables WHERE ${IN_OBJECTS}
UNION ALL SELECT 'mutation', ${OF_TABLE}, mutation_id, command
  FROM system.mutations WHERE NOT is_done AND ${IN_OBJECTS}
UNION ALL SELECT 'policy', ${OF_TABLE}, '', ''
  FROM system.row_policies WHERE database IN {databases:Array(String)} AND (table = '' OR full IN {objects:Array(String)})
UNION ALL SELECT 'server', toString(serverUUID()), version(), ''`;

// Data parts are immutable, so equal checksums mean equal rows.
const PARTS = `SELECT ${OF_TABLE}, partition_id AS partition, name, hash_of_all_files AS hash,
    toUnixTimestamp(min_time) AS since, toUnixTimestamp(max_time) AS until
  FROM system.parts WHERE active AND ${IN_OBJECTS} LIMIT ${MAX_PARTS + 1}`;

/** Partition ID prefix of a patch part (`patch-HASH-ID`), which has updates of rows in partition ID. */
const PATCH = /^patch-[^-]{32}-/;

const COLUMNS_OF_PARTS = `SELECT ${OF_TABLE}, column, toUInt32(count()) AS parts FROM system.parts_columns
  WHERE active AND NOT startsWith(partition_id, 'patch-') AND column IN {columns:Array(String)} AND ${IN_OBJECTS}
  GROUP BY full, column`;

/**
 * Reads the version of the tables of a query.
 *
 * @throws Error where ClickHouse does not return it
 */
export async function readDataVersion(data: QueryData, readRows: ReadRows): Promise<TablesVersion> {
  const { objects } = data;
  const parameters = { objects, databases: databasesOf(objects) };
  // State comes before parts: a mutation that ends before the first read already has its new data parts in the second.
  const state = sorted(await readRows<StateRow>(STATE, parameters));
  const parts = sorted(await readRows<PartRow>(PARTS, parameters));
  const of = (wanted: StateRow['kind']): readonly StateRow[] => state.filter(({ kind }) => kind === wanted);
  const [server] = of('server');
  if (!server) throw new Error('ClickHouse returned no version of the tables');
  const definitions = definitionsOf(of('object').map(({ full, what }) => [full, what]));
  const mutations = of('mutation').map(({ full, what, command }) => [full, what, command]);
  const base = hashOf(server.what, server.full, SETTINGS_OF_VERSIONS, definitions, mutations);
  const partitions = partitionsOf(parts);
  const problem = problemOf(of('policy'), parts) ?? (await problemOfColumns(data, partitions, readRows));
  return {
    ...{ version: versionOf(base, partitions), base, server: server.full, definitions, partitions },
    ...(problem !== undefined && { problem }),
  };
}

/** Groups data parts by table and partition. @param rows rows in a stable order, because the hashes depend on it */
function partitionsOf(rows: readonly PartRow[]): TablesVersion['partitions'] {
  const byTable: Record<string, Map<string, PartRow[]>> = {};
  for (const row of rows) {
    const byId = (byTable[row.full] ??= new Map<string, PartRow[]>());
    const id = row.partition.replace(PATCH, '');
    const parts = byId.get(id);
    if (parts) parts.push(row);
    else byId.set(id, [row]);
  }
  return Object.fromEntries(
    Object.entries(byTable).map(([full, byId]) => [full, [...byId].map((entry) => partitionOf(...entry))]),
  );
}

function partitionOf(id: string, parts: readonly PartRow[]): Partition {
  const times = parts.filter(({ partition }) => partition === id);
  return {
    id,
    hash: hashOf(parts.map(({ name, hash }) => [name, hash])),
    names: parts.map(({ name }) => name),
    // Patch parts have no times.
    since: times.reduce((least, { since }) => Math.min(least, since), times[0]?.since ?? 0),
    until: times.reduce((most, { until }) => Math.max(most, until), 0),
  };
}

/** Sorts rows by their text, because ClickHouse returns them in any order. */
function sorted<Row extends object>(rows: readonly Row[]): readonly Row[] {
  const keyed = rows.map((row) => ({ row, key: Object.values(row).join('\0') }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ row }) => row);
}

/** Hash of the data parts of tables, and of everything else that decides which rows they have. */
export function versionOf(base: string, partitions: TablesVersion['partitions']): string {
  const hashes = Object.entries(partitions).map(([full, of]) => [full, of.map(({ id, hash }) => [id, hash])]);
  return hashOf(base, hashes);
}

const hashOf = (...values: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(values)).digest('base64url');

function problemOf(policies: readonly StateRow[], parts: readonly PartRow[]): string | undefined {
  if (policies.length > 0) return 'a table that it reads has a row policy';
  if (parts.length > MAX_PARTS) return `its tables have more than ${MAX_PARTS} parts`;
  const characters = parts.reduce((sum, { name }) => sum + name.length + "'',".length, 0);
  return characters > MAX_NAMES
    ? `the names of its tables’ parts have ${characters} characters, more than ${MAX_NAMES}`
    : undefined;
}

/** Finds data parts that lack a column with a varying default: such a default is computed anew at each read. */
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
