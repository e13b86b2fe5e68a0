import { timestamp } from '../../endpoint/parameters/timestamp.js';
import type { QueryClient } from '../../gateway/clickhouse/connect-clickhouse.js';
import type { Config } from '../../gateway/config/config.js';
import { runFirstQuery } from '../check/first-query.js';
import { withClient } from '../clickhouse/with-client.js';
import { hasData, withServer } from '../clickhouse/with-server.js';
import { CommandError, EXIT, usageError } from './exit-codes.js';

/** Runs a task with a client of the ClickHouse that has the gateway's own tables. @throws CommandError where there is none yet */
export async function withOwnTables<T>(
  config: Config,
  signal: AbortSignal,
  task: (client: QueryClient) => Promise<T>,
): Promise<T> {
  if (config.clickhouse.kind === 'embedded' && !hasData(config.dataDir)) {
    throw new CommandError(
      'There are no recorded calls yet: the gateway creates their table when it starts, and querygate migrate does.',
      EXIT.failed,
    );
  }
  return withServer(config, { sources: ['external', 'own'], signal }, ({ admin }) =>
    withClient(admin, config.queryTimeoutMs, async (client) => {
      await runFirstQuery(client, admin.url, signal);
      return task(client);
    }),
  );
}

const SINCE = timestamp({ description: 'How far back.', relativeStep: '1s', empty: 'problem' });

/**
 * The time of an option `--since`, as ClickHouse reads it in UTC: `2026-05-17 10:05:00.000000`.
 *
 * @param since a duration such as `30d`, or a time.
 * @throws CommandError (invalid usage)
 */
export function sinceTime(since: string): string {
  const text = /^\d+[a-zA-Z]+$/.test(since) ? `now-${since}` : since;
  const read = SINCE.read(text, { now: new Date() });
  if ('value' in read) return read.value;
  throw usageError(
    `--since must be a duration such as 30d or 12h, or a time such as 2026-11-30, not ${since}`,
  );
}
