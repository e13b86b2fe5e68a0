import { bindQuery } from '../../endpoint/bind.js';
import { textOfValue } from '../../endpoint/after.js';
import { rowCap, type Endpoint } from '../../endpoint/endpoint.js';
import type { FileProblem } from '../../endpoint/file-problems.js';
import type { PageColumn } from '../../endpoint/page-order.js';
import { orderClause, type Pages } from '../../endpoint/pages.js';
import { problem } from '../../endpoint/problems.js';
import { quoteName } from '../../endpoint/quote-sql.js';
import type { Values } from '../../endpoint/values.js';
import { queryRows, type AnalysisTools } from '../../gateway/analysis/analyze-query.js';
import { problemInFile, type SqlFile } from '../../gateway/analysis/sql-file.js';

/** Rows of the example that are compared. */
const MOST_ROWS = 1_000_000;

/**
 * Finds what would make the pages of an endpoint leave out rows or repeat them, in the rows of its example: rows that are equal in all
 * columns that order the pages, and a first page that has another order, or other rows than come first in it.
 *
 * @throws Error where ClickHouse does not run the query
 */
export async function problemsOfPages(
  endpoint: Endpoint,
  values: Values,
  tools: AnalysisTools,
  file: SqlFile | undefined,
): Promise<readonly FileProblem[]> {
  const { pages } = endpoint;
  if (!pages) return [];
  const listed = pages.order.map(({ name }) => name).join(', ');
  const equal = await equalRows(endpoint, pages, values, tools);
  const reasons = [
    ...(equal > 0
      ? [
          `must differ between any two rows, but the example has ${equal} groups of rows with the same ${listed}: name a column more`,
        ]
      : []),
    ...((await isInOrder(endpoint, pages, values, tools))
      ? []
      : [
          `is not the order of the query: order its rows by ${listed}, also before FIRST_ROWS or a LIMIT, so that the first rows are those of the first page`,
        ]),
  ];
  return reasons.map((reason) => {
    const found = problem('PAGES_INVALID', reason);
    return file ? problemInFile(file, { ...file.header.placeOf({ path: ['pages'] }), ...found }) : found;
  });
}

async function equalRows(
  { query }: Endpoint,
  { order }: Pages,
  values: Values,
  tools: AnalysisTools,
): Promise<number> {
  const { text, parameters } = bindQuery({ ...query, named: [] }, values, new Set(), tools.now(), MOST_ROWS);
  const names = order.map(({ name }) => quoteName(name)).join(', ');
  const groups = `SELECT 1 FROM (\n${text}\n) GROUP BY ${names} HAVING count() > 1`;
  const counted = `SELECT toString(count()) AS groups FROM (${groups})`;
  const rows = await queryRows<{ readonly groups: string }>(tools, counted, parameters);
  return Number(rows[0]?.groups ?? 0);
}

/** Whether the first page has the rows that come first where all rows are sorted. */
async function isInOrder(
  endpoint: Endpoint,
  { order, query }: Pages,
  values: Values,
  tools: AnalysisTools,
): Promise<boolean> {
  const cap = rowCap(endpoint);
  const [page, all] = [bindQuery(query, values, new Set(), tools.now(), cap)].flatMap((bound) => [
    bound,
    bindQuery({ ...endpoint.query, named: [] }, values, new Set(), tools.now(), MOST_ROWS),
  ]);
  if (!page || !all) return true;
  const key = `[${order.map(keyOf).join(', ')}]`;
  const sorted = `SELECT * FROM (\n${all.text.replaceAll('{row_limit:UInt64}', String(MOST_ROWS))}\n) ${orderClause(order)} LIMIT ${cap}`;
  const keysOf = (rows: string): string => `(SELECT groupArray(${key}) FROM (\n${rows}\n))`;
  const compared = `SELECT toString(${keysOf(page.text)} = ${keysOf(sorted)}) AS isSame SETTINGS max_threads = 1`;
  const [row] = await queryRows<{ readonly isSame: string }>(tools, compared, page.parameters);
  return row?.isSame === '1';
}

const keyOf = (column: PageColumn): string => `ifNull(${textOfValue(column, quoteName(column.name))}, '-')`;
