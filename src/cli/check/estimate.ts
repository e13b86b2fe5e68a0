import type { BoundQuery } from '../../endpoint/bind.js';
import { queryRows, type AnalysisTools } from './analyze-query.js';
import type { TableEstimate } from './checked-endpoint.js';

interface EstimateRow {
  readonly database: string;
  readonly table: string;
  readonly parts: string | number;
  readonly rows: string | number;
  readonly marks: string | number;
}

/** What stands before a query whose reads are estimated. */
export const EXPLAIN_ESTIMATE = 'EXPLAIN ESTIMATE ';

/** What ClickHouse expects a query to read of each table. */
export async function estimateOf(query: BoundQuery, tools: AnalysisTools): Promise<readonly TableEstimate[]> {
  const estimated = await queryRows<EstimateRow>(tools, `${EXPLAIN_ESTIMATE}${query.text}`, query.parameters);
  return Promise.all(
    estimated.map(async ({ database, table, parts, rows, marks }) => ({
      table,
      parts: Number(parts),
      rows: Number(rows),
      marks: Number(marks),
      tableMarks: await marksOf(tools, database, table),
    })),
  );
}

/**
 * Marks of a table: the estimate of a query that would read all of it, as a user may lack rights on `system.parts`. It
 * names no column, because the user may read only some, and is not answered from the table's metadata.
 */
async function marksOf(tools: AnalysisTools, database: string, table: string): Promise<number> {
  const [whole] = await queryRows<EstimateRow>(
    tools,
    'EXPLAIN ESTIMATE SELECT count() FROM {database:Identifier}.{table:Identifier} ' +
      'SETTINGS optimize_trivial_count_query = 0, optimize_use_implicit_projections = 0',
    { database, table },
  );
  return Number(whole?.marks ?? 0);
}
