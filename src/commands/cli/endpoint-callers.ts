import { ClickHouseError } from '@clickhouse/client';

import { bindQuery } from '../../endpoint/bind.js';
import { rowCap } from '../../endpoint/endpoint.js';
import type { Endpoints } from '../../endpoint/registry.js';
import { writesRequestLog, type Config } from '../../gateway/config/config.js';
import { Failure } from '../../gateway/errors.js';
import { CALLERS_ENDPOINT } from '../../gateway/observability/callers-endpoint.js';
import { validateParameters } from '../../gateway/query/validate-parameters.js';
import { runFirstQuery } from '../check/first-query.js';
import { withClient } from '../clickhouse/with-client.js';
import { hasData, withServer } from '../clickhouse/with-server.js';
import { CommandError, EXIT, usageError } from './exit-codes.js';
import { printable, textTable } from './text-table.js';

/** How often a key called an endpoint. */
export interface Caller {
  readonly endpoint: string;
  readonly key: string;
  readonly requests: number;
  readonly errors: number;
  /** ISO 8601. */
  readonly last: string;
}

/**
 * Reads from the request log which keys called which endpoint.
 *
 * @param since a duration such as `30d`, or a time.
 * @throws CommandError where there is no request log, or `since` is no time
 */
export async function findCallers(
  config: Config,
  since: string,
  signal: AbortSignal,
): Promise<readonly Caller[]> {
  if (!writesRequestLog(config)) {
    throw new CommandError(
      'There is no request log to read: set REQUEST_LOG=on, and with CLICKHOUSE_URL also CLICKHOUSE_LOG_USER.',
      EXIT.failed,
    );
  }
  const query = boundQuery(since);
  if (config.clickhouse.kind === 'embedded' && !hasData(config.dataDir)) throw noTable();
  return withServer(config, { sources: ['external', 'own'], signal }, ({ admin }) =>
    withClient(admin, config.queryTimeoutMs, async (client) => {
      await runFirstQuery(client, admin.url, signal);
      const found = await client
        .query({
          query: query.text,
          query_params: { ...query.parameters },
          format: 'JSONEachRow',
          clickhouse_settings: { output_format_json_quote_64bit_integers: 0, date_time_output_format: 'iso' },
          abort_signal: signal,
        })
        .catch(rethrow);
      const rows = await found.json<
        Record<'endpoint' | 'key_name' | 'last_time', string> & Record<string, number>
      >();
      return rows.map(({ endpoint, key_name: key, requests = 0, errors = 0, last_time: last }) => {
        return { endpoint, key, requests, errors, last };
      });
    }),
  );
}

/** A row for each key of each endpoint, and one for each endpoint that nobody called. */
export function callersTable(callers: readonly Caller[], endpoints: Endpoints): string {
  const called = new Set(callers.map(({ endpoint }) => endpoint));
  const uncalled = endpoints.all().filter(({ name }) => !called.has(name));
  const note = (name: string): string => (endpoints.find(name)?.deprecated ? 'deprecated' : '');
  const rows = [
    ...callers.map(({ endpoint, key, requests, errors, last }) => [
      ...[printable(endpoint), printable(key), String(requests), String(errors)],
      ...[`${last.slice(0, 19)}Z`, endpoints.find(endpoint) ? note(endpoint) : 'removed'],
    ]),
    ...uncalled.map(({ name }) => [name, '-', '0', '0', '-', note(name)]),
  ].sort(([a = ''], [b = '']) => (a < b ? -1 : Number(a > b)));
  return textTable([['ENDPOINT', 'KEY', 'REQUESTS', 'ERRORS', 'LAST', 'NOTE'], ...rows], new Set([2, 3]));
}

function boundQuery(since: string): ReturnType<typeof bindQuery> {
  const text = /^\d+[a-zA-Z]+$/.test(since) ? `now-${since}` : since;
  const now = new Date();
  try {
    const raw = new Map([['start_time', { text, times: 1 }]]);
    const values = validateParameters(CALLERS_ENDPOINT, raw, { now });
    return bindQuery(CALLERS_ENDPOINT.query, values, new Set(), now, rowCap(CALLERS_ENDPOINT));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw usageError(
      `--since must be a duration such as 30d or 12h, or a time such as 2026-11-30, not ${since}`,
    );
  }
}

function rethrow(cause: unknown): never {
  const isMissing = cause instanceof ClickHouseError && cause.type === 'UNKNOWN_TABLE';
  if (!isMissing) throw cause;
  throw noTable(cause);
}

function noTable(cause?: unknown): CommandError {
  return new CommandError(
    'The request log has no table yet: the gateway creates it when it starts.',
    EXIT.failed,
    { cause },
  );
}
