import { ClickHouseError, type ClickHouseSettings } from '@clickhouse/client';

import { quoteText } from '../../endpoint/quote-sql.js';
import type { QueryResult } from '../query/ports.js';

/**
 * Settings under which equal data parts give equal rows, regardless of the user's profile. The last two exclude other replicas and older
 * results.
 */
export const SETTINGS_OF_VERSIONS = {
  apply_mutations_on_fly: 0,
  apply_patch_parts: 1,
  apply_deleted_mask: 1,
  final: 0,
  max_parallel_replicas: '1',
  use_query_cache: 0,
} as const satisfies ClickHouseSettings;

/** Text of the error with which ClickHouse ends a query that reads another data part. */
const MARK = 'querygate: not of this version';

const THROW_IF = '395';

/**
 * Condition on a table that is true for all rows of these data parts, and ends the query if the table has another part on this server.
 * A filter that only left out other parts would return too few rows after a merge.
 *
 * @param server UUID of the server.
 * @param among condition that selects the parts to read. Absent: all of them.
 */
export function onlyParts(parts: readonly string[], server: string, among?: string): string {
  // ClickHouse's SQL has no empty list, so the list always has the empty name, which no data part has.
  const names = ['', ...parts].map((part) => quoteText(part)).join(',');
  const isOther = `_part NOT IN (${names}) OR serverUUID() != ${quoteText(server)}`;
  // ClickHouse evaluates every condition for every part, in any order.
  const ends = among === undefined ? isOther : `(${among}) AND (${isOther})`;
  return `NOT throwIf(${ends}, ${quoteText(MARK)})${among === undefined ? '' : ` AND (${among})`}`;
}

/** Codes of errors that only a query over a version can cause: its text is too long, or the user must not change its settings. */
const BY_ITS_FORM: ReadonlySet<string> = new Set(['62', '115', '164', '452']);

/**
 * Runs a query over a version of the data. If it would read later data, it runs over all data instead, because the result must be correct.
 *
 * @param data undefined where the data has no version
 * @param mayRunAgain whether the caller has not received any row yet
 */
export async function ofVersion<Data, Ran extends Pick<QueryResult, 'isOfVersion'>>(
  data: Data | undefined,
  runOver: (data: Data | undefined) => Promise<Ran>,
  mayRunAgain = (): boolean => true,
): Promise<Ran> {
  if (data === undefined) return runOver(undefined);
  try {
    return Object.assign({ isOfVersion: true as const }, await runOver(data));
  } catch (error) {
    if (!isOfVersions(error) || !mayRunAgain()) throw error;
    return runOver(undefined);
  }
}

/** Whether the query may succeed without a version: it read a part that {@link onlyParts} excludes, or ClickHouse rejects its form. */
function isOfVersions(error: unknown): boolean {
  if (!(error instanceof ClickHouseError)) return false;
  return BY_ITS_FORM.has(error.code) || (error.code === THROW_IF && error.message.includes(MARK));
}
