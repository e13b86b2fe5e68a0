import { ClickHouseError, type ClickHouseClient } from '@clickhouse/client';

import { translateClickHouseError } from '../../gateway/clickhouse/translate-error.js';
import { Failure } from '../../gateway/errors.js';

/**
 * Runs a query that reads nothing, so that an unreachable server, or one that rejects the user, is reported once.
 *
 * @throws Error with the reason, without credentials
 */
export async function runFirstQuery(
  client: ClickHouseClient,
  url: string,
  signal: AbortSignal,
): Promise<void> {
  await client
    .query({ query: 'SELECT 1', abort_signal: signal })
    .then((result) => result.text())
    .catch((cause: unknown) => {
      throw new Error(`ClickHouse at ${new URL(url).origin} ${problemOf(cause)}`, { cause });
    });
}

/** Why a first query failed: an unreachable server, or one that rejects the user or the database. */
function problemOf(cause: unknown): string {
  if (cause instanceof Failure) return `can’t run the queries: ${cause.details.diagnosis ?? cause.message}`;
  const reason = cause instanceof Error ? cause.message.trimEnd() : String(cause);
  if (!(cause instanceof ClickHouseError)) return `does not respond: ${reason}`;
  const { diagnosis = '' } = translateClickHouseError(cause).details;
  return `rejects the first query: ${reason}\n  ${diagnosis}`;
}
