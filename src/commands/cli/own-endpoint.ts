import { ClickHouseError } from '@clickhouse/client';

import { bindQuery, type BoundQuery } from '../../endpoint/bind.js';
import { rowCap, type Endpoint } from '../../endpoint/endpoint.js';
import type { QueryClient } from '../../gateway/clickhouse/connect-clickhouse.js';
import { writesRequestLog, type Config } from '../../gateway/config/config.js';
import { Failure } from '../../gateway/errors.js';
import { CALLERS_ENDPOINT } from '../../gateway/observability/callers-endpoint.js';
import { validateParameters } from '../../gateway/query/validate-parameters.js';
import { runFirstQuery } from '../check/first-query.js';
import { withClient } from '../clickhouse/with-client.js';
import { hasData, withServer } from '../clickhouse/with-server.js';
import { CommandError, EXIT, usageError } from './exit-codes.js';

/** Rows as the gateway's own endpoints return them. */
export type OwnRow = Readonly<Record<string, string & number>>;

/**
 * Runs a task with a client of the ClickHouse that has the request log.
 *
 * @throws CommandError where there is no request log, or its table is missing or of an earlier version
 */
export async function withRequestLog<T>(
  config: Config,
  signal: AbortSignal,
  task: (client: QueryClient) => Promise<T>,
): Promise<T> {
  if (!writesRequestLog(config)) {
    throw new CommandError(
      'There is no request log to read: set REQUEST_LOG=on, and with CLICKHOUSE_URL also CLICKHOUSE_LOG_USER.',
      EXIT.failed,
    );
  }
  return withOwnTables(config, signal, (client) => task(client).catch(rethrow));
}

/** Runs a task with a client of the ClickHouse that has the gateway's own tables. @throws CommandError where there is none yet */
export async function withOwnTables<T>(
  config: Config,
  signal: AbortSignal,
  task: (client: QueryClient) => Promise<T>,
): Promise<T> {
  if (config.clickhouse.kind === 'embedded' && !hasData(config.dataDir)) throw noTable();
  return withServer(config, { sources: ['external', 'own'], signal }, ({ admin }) =>
    withClient(admin, config.queryTimeoutMs, async (client) => {
      await runFirstQuery(client, admin.url, signal);
      return task(client);
    }),
  );
}

/**
 * The time of an option `--since`, as ClickHouse reads it in UTC: `2026-05-17 10:05:00.000000`.
 *
 * @throws CommandError (invalid usage)
 */
export function sinceTime(since: string): string {
  return String(bindOwn(CALLERS_ENDPOINT, ['start_time', since]).parameters['start_time']);
}

/** The rows of a query. */
export async function rowsOf<Row>(
  client: QueryClient,
  { text, parameters }: Pick<BoundQuery, 'text' | 'parameters'>,
  signal: AbortSignal,
): Promise<readonly Row[]> {
  const found = await client.query({
    query: text,
    query_params: { ...parameters },
    format: 'JSONEachRow',
    clickhouse_settings: { output_format_json_quote_64bit_integers: 0, date_time_output_format: 'iso' },
    abort_signal: signal,
  });
  return found.json<Row>();
}

/**
 * Binds the query of an endpoint of the gateway itself.
 *
 * @param since of the parameter `sinceName`; a duration such as `30d`, or a time.
 * @throws CommandError (invalid usage) where it is neither
 */
export function bindOwn(
  endpoint: Endpoint,
  [sinceName, since]: readonly [name: string, text: string],
  others: Readonly<Record<string, string>> = {},
): BoundQuery {
  const text = /^\d+[a-zA-Z]+$/.test(since) ? `now-${since}` : since;
  const now = new Date();
  const raw = new Map(
    Object.entries({ ...others, [sinceName]: text }).map(([name, value]) => [
      name,
      { text: value, times: 1 },
    ]),
  );
  try {
    return bindQuery(
      endpoint.query,
      validateParameters(endpoint, raw, { now }),
      new Set(),
      now,
      rowCap(endpoint),
    );
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw usageError(
      `--since must be a duration such as 30d or 12h, or a time such as 2026-11-30, not ${since}`,
    );
  }
}

function rethrow(cause: unknown): never {
  if (!(cause instanceof ClickHouseError)) throw cause;
  if (cause.type === 'UNKNOWN_TABLE') throw noTable(cause);
  throw cause;
}

function noTable(cause?: unknown): CommandError {
  return new CommandError(
    'The request log has no table yet, or that of an earlier version: the gateway creates it when it starts, and querygate migrate does.',
    EXIT.failed,
    { cause },
  );
}
