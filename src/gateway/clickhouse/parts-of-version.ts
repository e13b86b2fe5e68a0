import { ClickHouseError, type ClickHouseSettings } from '@clickhouse/client';

import { quoteText } from '../../endpoint/quote-sql.js';
import type { QueryResult } from '../query/ports.js';

/**
 * Settings under which equal parts have equal rows, whatever the profile of the user says; the last two keep other replicas and older
 * results out.
 */
export const SETTINGS_OF_VERSIONS = {
  apply_mutations_on_fly: 0,
  apply_patch_parts: 1,
  apply_deleted_mask: 1,
  final: 0,
  max_parallel_replicas: '1',
  use_query_cache: 0,
} as const satisfies ClickHouseSettings;

/** Of the error with which ClickHouse ends a query that reads another part. */
const MARK = 'querygate: not of this version';

const THROW_IF = '395';

/**
 * The condition of a table that holds for all rows of these parts, and ends the query where the table has another part on this
 * server. A filter that only left out the others would return too few rows once parts are merged.
 *
 * @param server its UUID.
 * @param among condition of the parts that are read at all; all of them where absent.
 */
export function onlyParts(parts: readonly string[], server: string, among?: string): string {
  // An empty list of names is not one in ClickHouse's SQL; no part has the empty name.
  const names = ['', ...parts].map((part) => quoteText(part)).join(',');
  const isOther = `_part NOT IN (${names}) OR serverUUID() != ${quoteText(server)}`;
  // ClickHouse computes each condition for every part, in whatever order.
  const ends = among === undefined ? isOther : `(${among}) AND (${isOther})`;
  return `NOT throwIf(${ends}, ${quoteText(MARK)})${among === undefined ? '' : ` AND (${among})`}`;
}

/** Errors of what a query of a version has more than others: a text that is too long, settings that the user must not change. */
const BY_ITS_FORM: ReadonlySet<string> = new Set(['62', '115', '164', '452']);

/**
 * Runs a query over a version of the data. Where it would read data of a later one, it runs over all data instead, so that its
 * result is right in any case.
 *
 * @param data undefined where it has no version
 * @param mayRunAgain whether no row was sent to the caller
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

/** Whether a query without a version may succeed: it read a part that {@link onlyParts} does not name, or has a form that ClickHouse rejects. */
function isOfVersions(error: unknown): boolean {
  if (!(error instanceof ClickHouseError)) return false;
  return BY_ITS_FORM.has(error.code) || (error.code === THROW_IF && error.message.includes(MARK));
}
