import type { BoundQuery } from '../../endpoint/bind.js';
import { explainLines, queryRows, type AnalysisTools } from '../../gateway/analysis/analyze-query.js';
import type { TableRead } from './checked-endpoint.js';

interface EstimateRow {
  readonly database: string;
  readonly table: string;
  readonly parts: string | number;
  readonly rows: string | number;
  readonly marks: string | number;
}

/** Text before a query whose reads are estimated. */
export const EXPLAIN_ESTIMATE = 'EXPLAIN ESTIMATE ';

/** What ClickHouse expects a query to read of each table. */
export async function estimateOf(query: BoundQuery, tools: AnalysisTools): Promise<readonly TableRead[]> {
  const estimated = await estimateRows(query, tools);
  const scans = estimated.length === 0 ? [] : await scansOf(query, tools);
  return Promise.all(
    estimated.map(async ({ database, table, parts, rows, marks }) => {
      const whole = await wholeOf(tools, database, table);
      const reads = Math.max(1, scans.filter((scan) => scan === `${database}.${table}`).length);
      return {
        database,
        table,
        rows: Number(rows),
        reads,
        parts: { read: Number(parts), of: reads * Number(whole?.parts ?? 0) },
        granules: { read: Number(marks), of: reads * Number(whole?.marks ?? 0) },
      };
    }),
  );
}

/** The tables in ClickHouse's plan of a query, each as often as the query reads it. ESTIMATE returns only sums. */
async function scansOf({ text, parameters }: BoundQuery, tools: AnalysisTools): Promise<readonly string[]> {
  const lines = await explainLines(tools, `EXPLAIN ${text}`, parameters);
  return lines.flatMap((line) => /^[^\w]*ReadFromMergeTree \((.+)\)$/.exec(line)?.[1] ?? []);
}

/** Granules of all tables together that ClickHouse expects a query to read. */
export async function granulesOf(query: BoundQuery, tools: AnalysisTools): Promise<number> {
  const estimated = await estimateRows(query, tools);
  return estimated.reduce((sum, { marks }) => sum + Number(marks), 0);
}

const estimateRows = (query: BoundQuery, tools: AnalysisTools): Promise<readonly EstimateRow[]> =>
  queryRows(tools, `${EXPLAIN_ESTIMATE}${query.text}`, query.parameters);

/**
 * Parts and granules of a table: the estimate of a query that reads all of it. `system.parts` is not used, because a user may lack
 * rights on it. The query names no column, because the user may lack rights on some, and cannot be served from metadata.
 */
async function wholeOf(
  tools: AnalysisTools,
  database: string,
  table: string,
): Promise<EstimateRow | undefined> {
  const [whole] = await queryRows<EstimateRow>(
    tools,
    'EXPLAIN ESTIMATE SELECT count() FROM {database:Identifier}.{table:Identifier} ' +
      'SETTINGS optimize_trivial_count_query = 0, optimize_use_implicit_projections = 0',
    { database, table },
  );
  return whole;
}
