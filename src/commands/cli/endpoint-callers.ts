import type { Endpoints } from '../../endpoint/registry.js';
import type { Config } from '../../gateway/config/config.js';
import { CALLERS_ENDPOINT } from '../../gateway/observability/callers-endpoint.js';
import { bindOwn, rowsOf, withRequestLog } from './own-endpoint.js';
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
  const query = bindOwn(CALLERS_ENDPOINT, ['start_time', since]);
  return withRequestLog(config, signal, async (client) => {
    const rows = await rowsOf<
      Record<'endpoint' | 'key_name' | 'last_time', string> & Record<'requests' | 'errors', number>
    >(client, query, signal);
    return rows.map(({ endpoint, key_name: key, requests, errors, last_time: last }) => {
      return { endpoint, key, requests, errors, last };
    });
  });
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
