import { whereRejected } from '../../gateway/clickhouse/where-rejected.js';
import type { Values } from '../../endpoint/values.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import { bindValues, queryRows, type AnalysisTools } from '../../gateway/analysis/analyze-query.js';
import type { TableRead } from './checked-endpoint.js';
import { granulesOf } from './estimate.js';

/** A table that is read completely for any value of a time parameter. */
export interface UnprunedTable {
  readonly table: string;
  readonly warning: string;
}

/** Times before and after all data. With one of them, a filter that an index can use excludes all rows. */
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
const isReadCompletely = ({ reads, parts, granules }: TableRead): boolean =>
  granules.of > reads && granules.read >= granules.of / reads && parts.read >= parts.of / reads;

/** The sum of a query's reads with this time; undefined where the query cannot be analysed, which says nothing about its filter. */
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
}

const SELECT_KEYS =
  'SELECT partition_key, sorting_key FROM system.tables WHERE database = {database:String} AND name = {table:String}';

async function adviceFor({ database, table }: TableRead, tools: AnalysisTools): Promise<string> {
  // A user who may run the query may lack rights on system tables. Other failures would make the example fail too.
  const [keys] = await queryRows<Keys>(tools, SELECT_KEYS, { database, table }).catch(whereRejected([]));
  const shown =
    keys && ` (partition key: ${keys.partition_key || 'none'}; sorting key: ${keys.sorting_key || 'none'})`;
  return (
    `Compare the time with which a key of ${table} begins${shown ?? ''} with the parameter, not a function of it; ` +
    'where none does, filter the columns before it too, or partition the table by toYYYYMM of the time'
  );
}
