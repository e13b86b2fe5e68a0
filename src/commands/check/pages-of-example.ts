import { keyOfValue } from '../../endpoint/after-last-row.js';
import { bindQuery, type BoundQuery } from '../../endpoint/bind.js';
import { rowCap, type Endpoint } from '../../endpoint/endpoint.js';
import { type FileProblem, problemInFile } from '../../endpoint/file-problems.js';
import type { PageOrder } from '../../endpoint/page-order.js';
import { orderClause } from '../../endpoint/pages.js';
import { problem } from '../../endpoint/problems.js';
import type { Query } from '../../endpoint/sql.js';
import { quoteName } from '../../endpoint/quote-sql.js';
import type { Values } from '../../endpoint/values.js';
import { queryRows, type AnalysisTools } from '../../gateway/analysis/analyze-query.js';

/** Rows of the example that are compared. */
const MOST_ROWS = 1_000_000;

/**
 * Finds in the rows of an endpoint's example why its pages would omit or repeat rows: rows that are equal in all columns that order
 * the pages, or a first page whose rows or order differ from the start of the whole result.
 *
 * @throws Error where ClickHouse does not run the query
 */
export async function problemsOfPages(
  endpoint: Endpoint,
  values: Values,
  tools: AnalysisTools,
): Promise<readonly FileProblem[]> {
  const { query, pages, file } = endpoint;
  if (!pages) return [];
  const { order } = pages;
  const cap = rowCap(endpoint);
  const bound = (of: Query, rows: number): BoundQuery => bindQuery(of, values, new Set(), tools.now(), rows);
  // Without the LIMIT of FIRST_ROWS, like the rows that a caller's own SQL reads.
  const all = bound({ ...query, named: [] }, MOST_ROWS);
  const equal = await equalRows(all, order, tools);
  const first = await keysOf(bound(pages.query, cap), order, tools);
  const sorted = `SELECT * FROM (\n${all.text}\n) ${orderClause(order)} LIMIT ${cap}`;
  const expected = await keysOf({ ...all, text: sorted }, order, tools);
  const names = order.map(({ name }) => name).join(', ');
  const reasons: string[] = [];
  if (equal > 0)
    reasons.push(
      `must differ between any two rows, but the example has ${equal} groups of rows with the same ${names}: name a column more`,
    );
  if (first.join('\n') !== expected.join('\n'))
    reasons.push(
      `is not the order of the query: order its rows by ${names}, also before FIRST_ROWS or a LIMIT, so that the first rows are those of the first page`,
    );
  return reasons.map((reason) => {
    const found = problem('PAGES_INVALID', reason);
    return file ? problemInFile(file, { ...file.header.placeOf({ path: ['pages'] }), ...found }) : found;
  });
}

async function equalRows(all: BoundQuery, order: PageOrder, tools: AnalysisTools): Promise<number> {
  const names = order.map(({ name }) => quoteName(name)).join(', ');
  const groups = `SELECT 1 FROM (\n${all.text}\n) GROUP BY ${names} HAVING count() > 1`;
  const counted = `SELECT toString(count()) AS groups FROM (${groups})`;
  const rows = await queryRows<{ readonly groups: string }>(tools, counted, all.parameters);
  return Number(rows[0]?.groups ?? 0);
}

/** The keys of rows, in their order. */
async function keysOf(
  { text, parameters }: BoundQuery,
  order: PageOrder,
  tools: AnalysisTools,
): Promise<readonly string[]> {
  const values = order.map((column) => keyOfValue(column, 'row'));
  const keys = `SELECT arrayStringConcat([${values.join(', ')}], ' ') AS key FROM (\n${text}\n) AS row`;
  return (await queryRows<{ readonly key: string }>(tools, keys, parameters)).map(({ key }) => key);
}
