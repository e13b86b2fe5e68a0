import { queryRows, type AnalysisTools } from '../../gateway/analysis/analyze-query.js';

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

/** The tables and views of a database that the user can see. */
export function readTables(tools: AnalysisTools, database: string): Promise<readonly CatalogTable[]> {
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
  { database, name }: Pick<CatalogTable, 'database' | 'name'>,
): Promise<readonly CatalogColumn[]> {
  return queryRows<CatalogColumn>(
    tools,
    `SELECT name, type, default_kind AS kind, is_in_sorting_key = 1 AS inSortingKey, is_in_partition_key = 1 AS inPartitionKey
     FROM system.columns WHERE database = {database:String} AND table = {name:String} ORDER BY position`,
    { database, name },
  );
}
