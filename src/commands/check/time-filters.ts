import { ClickHouseError } from '@clickhouse/client';

import type { Values } from '../../endpoint/values.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import { bindValues, queryRows, type AnalysisTools } from '../../gateway/analysis/analyze-query.js';
import type { TableRead } from './checked-endpoint.js';
import { containsName } from './contains-name.js';
import { granulesOf } from './estimate.js';

/** A table that is read completely, whatever the value of a parameter with a time. */
export interface UnprunedTable {
  readonly table: string;
  readonly warning: string;
}

/** Times before and after all data: a filter that an index can use excludes everything with one of them. */
const EXTREMES: Readonly<Record<string, readonly string[]>> = {
  date: ['1970-01-02', '2100-01-01'],
  timestamp: ['1970-01-02 00:00:00', '2100-01-01 00:00:00'],
};

/**
 * Finds the parameters of the kinds `date` and `timestamp` that exclude no granule of the largest table that the example reads
 * completely. ClickHouse decides: its estimate is the same for times before and after all data.
 */
export async function unprunedTimes(
  endpoint: Endpoint,
  values: Values,
  tables: readonly TableRead[],
  tools: AnalysisTools,
): Promise<readonly UnprunedTable[]> {
  const [largest] = [...tables].sort((a, b) => b.granules.of - a.granules.of);
  if (!largest || !isReadCompletely(largest)) return [];
  const read = tables.reduce((sum, { granules }) => sum + granules.read, 0);
  const unpruned: string[] = [];
  for (const [name, { kind }] of endpoint.parameters) {
    const extremes = EXTREMES[kind];
    if (extremes === undefined || (values.get(name) ?? null) === null) continue;
    const totals = extremes.map((time) => totalWith(endpoint, new Map(values).set(name, time), tools));
    if ((await Promise.all(totals)).every((total) => total !== undefined && total >= read))
      unpruned.push(name);
  }
  if (unpruned.length === 0) return [];
  return [{ table: largest.table, warning: await warningOf(unpruned, largest, tools) }];
}

/** Whether nothing of a table is excluded that has something to exclude. */
const isReadCompletely = ({ parts, granules }: TableRead): boolean =>
  granules.of > 1 && granules.read >= granules.of && parts.read >= parts.of;

/** Undefined where the query cannot be analysed with this time, which says nothing of its filter. */
async function totalWith(
  endpoint: Endpoint,
  values: Values,
  tools: AnalysisTools,
): Promise<number | undefined> {
  try {
    return await granulesOf(bindValues(endpoint, values, tools), tools);
  } catch {
    return undefined;
  }
}

async function warningOf(names: readonly string[], read: TableRead, tools: AnalysisTools): Promise<string> {
  const { table, parts, granules } = read;
  const [what, values] =
    names.length === 1
      ? [`the time filter ${names.join()} does`, 'its value']
      : [`the time filters ${names.join(', ')} do`, 'their values'];
  const all = `all ${granules.of} granules in ${parts.of === 1 ? '1 part' : `${parts.of} parts`} of ${table}`;
  return `${what} not prune: whatever ${values}, ClickHouse reads ${all}. ${await adviceFor(read, tools)}`;
}

interface Keys {
  readonly partition_key: string;
  readonly sorting_key: string;
  /** The columns with a date or a time. */
  readonly times: readonly string[];
}

const SELECT_KEYS = `
  SELECT partition_key, sorting_key, times
  FROM system.tables AS t
  LEFT JOIN (
    SELECT groupArray(name) AS times
    FROM system.columns
    WHERE database = {database:String} AND table = {table:String} AND type LIKE '%Date%'
  ) AS c ON true
  WHERE t.database = {database:String} AND t.name = {table:String}`;

async function adviceFor({ database, table }: TableRead, tools: AnalysisTools): Promise<string> {
  try {
    const [keys] = await queryRows<Keys>(tools, SELECT_KEYS, { database, table });
    if (keys) return advice(table, keys);
  } catch (error) {
    // A user with the right to the query can have none to system tables; other failures would fail the example too.
    if (!(error instanceof ClickHouseError)) throw error;
  }
  return `Compare a column of the keys of ${table} with the parameter, not a function of it`;
}

/** What to do about a time filter that no index can use. */
export function advice(
  table: string,
  { partition_key: partition, sorting_key: sorting, times }: Keys,
): string {
  const [first = ''] = sorting.split(',');
  const leading = times.find((time) => containsName(partition, time) || containsName(first, time));
  if (leading !== undefined) {
    return `The keys of ${table} begin with ${leading}: compare this column itself with the parameter, not a function of it`;
  }
  const later = times.find((time) => containsName(sorting, time));
  if (later !== undefined) {
    return (
      `Its sorting key (${sorting}) has ${later} only after ${first}: filter ${first} too and compare ${later} itself, ` +
      `or partition the table by toYYYYMM(${later})`
    );
  }
  const [column = 'the column with the time'] = times;
  return (
    `Neither its partition key nor its sorting key (${sorting}) has a column with a time: ` +
    `add ${column} to the sorting key, or partition the table by its month`
  );
}
