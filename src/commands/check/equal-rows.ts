import { bindQuery } from '../../endpoint/bind.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import type { FileProblem } from '../../endpoint/file-problems.js';
import { problem } from '../../endpoint/problems.js';
import { quoteName } from '../../endpoint/quote-sql.js';
import type { Values } from '../../endpoint/values.js';
import { queryRows, type AnalysisTools } from '../../gateway/analysis/analyze-query.js';
import { problemInFile, type SqlFile } from '../../gateway/analysis/sql-file.js';

/** Rows of the example that are compared. */
const MOST_ROWS = 1_000_000;

/**
 * Finds rows of the example that are equal in all columns that order its pages, of which a page could leave one out.
 *
 * @throws Error where ClickHouse does not run the query
 */
export async function equalRows(
  { query, pages }: Endpoint,
  values: Values,
  tools: AnalysisTools,
  file: SqlFile | undefined,
): Promise<readonly FileProblem[]> {
  if (!pages) return [];
  const { text, parameters } = bindQuery(query, values, new Set(), tools.now(), MOST_ROWS);
  const names = pages.order.map(({ name }) => quoteName(name)).join(', ');
  const groups = `SELECT 1 FROM (\n${text}\n) GROUP BY ${names} HAVING count() > 1`;
  const counted = await queryRows<{ readonly groups: string }>(
    tools,
    `SELECT toString(count()) AS groups FROM (${groups})`,
    parameters,
  );
  const equal = Number(counted[0]?.groups ?? 0);
  if (equal === 0) return [];
  const listed = pages.order.map(({ name }) => name).join(', ');
  const found = problem(
    'PAGES_INVALID',
    `must differ between any two rows, but the example has ${equal} groups of rows with the same ${listed}: name a column more`,
  );
  return [file ? problemInFile(file, { ...file.header.placeOf({ path: ['pages'] }), ...found }) : found];
}
