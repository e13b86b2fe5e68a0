import { queryRows, type AnalysisTools } from '../../gateway/analysis/analyze-query.js';
import { whereRejected } from '../../gateway/clickhouse/where-rejected.js';
import { sqlName } from './names.js';

/** A table, view or other object that can be selected from. */
export interface CatalogTable {
  readonly database: string;
  readonly name: string;
  readonly engine: string;
  readonly sortingKey: string;
  /** The SELECT of a view; empty otherwise. */
  readonly select: string;
}

/** A column, in the order of the table. */
export interface CatalogColumn {
  readonly name: string;
  readonly type: string;
  /** `DEFAULT`, `MATERIALIZED`, `ALIAS`, `EPHEMERAL`, or empty. */
  readonly kind: string;
  readonly inSortingKey: boolean;
  readonly inPartitionKey: boolean;
}

/** The time column of a table, and how many days before now a period starts. */
export interface Period {
  readonly column: string;
  readonly days: number;
}

/** The tables and views of a database that the user can see. */
export function tablesIn(tools: AnalysisTools, database: string): Promise<readonly CatalogTable[]> {
  return queryRows<CatalogTable>(
    tools,
    `SELECT database, name, engine, sorting_key AS sortingKey, as_select AS select FROM system.tables
     WHERE database = {database:String} AND NOT is_temporary AND name NOT LIKE '.inner%' ORDER BY name`,
    { database },
  );
}

/** The columns of a table. */
export function readColumns(
  tools: AnalysisTools,
  { database, name }: CatalogTable,
): Promise<readonly CatalogColumn[]> {
  return queryRows<CatalogColumn>(
    tools,
    `SELECT name, type, default_kind AS kind, is_in_sorting_key = 1 AS inSortingKey, is_in_partition_key = 1 AS inPartitionKey
     FROM system.columns WHERE database = {database:String} AND table = {name:String} ORDER BY position`,
    { database, name },
  );
}

/** Maximum seconds for reading a large table. After that it has no newest day, because a profile may forbid partial results. */
const READ_SECONDS = 5;

/**
 * The start of the newest day with rows, where the table has none in the endpoint's default period; undefined
 * otherwise, and for a table without rows.
 */
export async function newestDay(
  tools: AnalysisTools,
  { database, name }: CatalogTable,
  { column, days }: Period,
): Promise<string | undefined> {
  const [newest] = await queryRows<{ readonly start: string; readonly isOld: 0 | 1 }>(
    tools,
    `SELECT formatDateTime(newest, '%Y-%m-%dT00:00:00Z') AS start, newest < now('UTC') - toIntervalDay(${days}) AS isOld
     FROM (SELECT toDateTime64(assumeNotNull(max(${sqlName(column)})), 0, 'UTC') AS newest
           FROM ${sqlName(database)}.${sqlName(name)} HAVING count(${sqlName(column)}) > 0)
     SETTINGS max_execution_time = ${READ_SECONDS}`,
    {},
  ).catch(whereRejected([]));
  return newest?.isOld === 1 ? newest.start : undefined;
}
