import { FAILED, quantile, sum, type Sample } from '../model/metrics.js';
import type { Snapshot } from './snapshot.js';

const REQUESTS = 'querygate_requests_total';

/** How many requests there were between two looks, by kind of status, for each second. */
export interface Rate {
  readonly at: number;
  readonly ok: number;
  readonly refused: number;
  readonly failed: number;
}

/** Requests a second between two looks; undefined where the gateway was started anew between them. */
export function rateBetween(before: Snapshot, after: Snapshot): Rate | undefined {
  const seconds = (after.at - before.at) / 1000;
  const rate = (labels: Readonly<Record<string, RegExp>>): number =>
    (sum(after.samples, REQUESTS, labels) - sum(before.samples, REQUESTS, labels)) / seconds;
  const [ok, failed] = [rate({ status: /^[23]/ }), rate(FAILED)];
  const refused = rate({ status: /^[45]/ }) - failed;
  if (seconds <= 0 || Math.min(ok, refused, failed) < 0) return undefined;
  return { at: after.at, ok, refused, failed };
}

/** All requests, and of them those with a status. */
export const requestsWith = (samples: readonly Sample[], status: RegExp, endpoint?: string): number =>
  sum(samples, REQUESTS, { status, ...(endpoint !== undefined && { endpoint }) });

/** Requests that failed by no wish of their callers. */
export const requestsFailed = (samples: readonly Sample[], endpoint?: string): number =>
  sum(samples, REQUESTS, { ...FAILED, ...(endpoint !== undefined && { endpoint }) });

/** Statuses and how often each was answered, most frequent first. */
export function statusCounts(samples: readonly Sample[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { name, labels, value } of samples) {
    const status = labels['status'];
    if (name === REQUESTS && status !== undefined) counts.set(status, (counts.get(status) ?? 0) + value);
  }
  return [...counts].sort(([, left], [, right]) => right - left);
}

/** A row of the table of endpoints; milliseconds are null where nothing was measured. */
export type EndpointRow = Readonly<Record<string, string | number | null>>;

/** What each endpoint does, and how long it takes. */
export function endpointRows({ samples, cache }: Snapshot): readonly EndpointRow[] {
  return cache.endpoints.map(({ endpoint, hitRatio, entries, bytes }) => {
    const ms = (histogram: string, part: number): number | null => {
      const seconds = quantile(samples, `querygate_${histogram}`, endpoint, part);
      return seconds === undefined ? null : seconds * 1000;
    };
    return {
      endpoint,
      requests: requestsWith(samples, /./, endpoint),
      refused: requestsWith(samples, /^4/, endpoint),
      failed: requestsFailed(samples, endpoint),
      hitRatio: hitRatio.all,
      clickhouse50: ms('clickhouse_seconds', 0.5),
      clickhouse95: ms('clickhouse_seconds', 0.95),
      gateway95: ms('gateway_seconds', 0.95),
      entries,
      bytes,
      warmed: sum(samples, 'querygate_warming_refreshes_total', { endpoint }),
      warmingMs: sum(samples, 'querygate_warming_clickhouse_seconds_total', { endpoint }) * 1000,
    };
  });
}
