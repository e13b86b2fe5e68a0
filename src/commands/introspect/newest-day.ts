import { queryRows, type AnalysisTools } from '../../gateway/analysis/analyze-query.js';
import type { CatalogTable } from './catalog.js';
import { sqlName } from './names.js';
import type { TableDraft } from './table-draft.js';

/** A large table is read for so many seconds; the newest row of a part of it serves as an example too. */
const READ_SECONDS = 5;

/**
 * The start of the newest day that a table has rows of, where the period that an endpoint returns by default has none of them;
 * undefined otherwise, and for a table without rows.
 */
export async function newestDay(
  tools: AnalysisTools,
  { database, name }: Pick<CatalogTable, 'database' | 'name'>,
  { column, days }: NonNullable<TableDraft['period']>,
): Promise<string | undefined> {
  const [newest] = await queryRows<{ readonly start: string; readonly isOld: 0 | 1 }>(
    tools,
    `SELECT formatDateTime(newest, '%Y-%m-%dT00:00:00Z') AS start, newest < now('UTC') - toIntervalDay(${days}) AS isOld
     FROM (SELECT toDateTime64(assumeNotNull(max(${sqlName(column)})), 0, 'UTC') AS newest
           FROM ${sqlName(database)}.${sqlName(name)} HAVING count(${sqlName(column)}) > 0)
     SETTINGS max_execution_time = ${READ_SECONDS}, timeout_overflow_mode = 'break'`,
    {},
  );
  return newest?.isOld === 1 ? newest.start : undefined;
}
