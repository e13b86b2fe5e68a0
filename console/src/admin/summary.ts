import { FAILED, quantile, sum, type Sample } from '../model/metrics.js';
import type { Failures, Snapshot } from './snapshot.js';

const REQUESTS = 'querygate_requests_total';

/** Requests per second between two snapshots, by kind of status. */
export interface Rate {
  readonly at: number;
  readonly ok: number;
  readonly rejected: number;
  readonly failed: number;
}

/** The rate between two snapshots; undefined where the gateway restarted between them. */
export function rateBetween(before: Snapshot, after: Snapshot): Rate | undefined {
  const seconds = (after.at - before.at) / 1000;
  const rate = (labels: Readonly<Record<string, RegExp>>): number =>
    (sum(after.samples, REQUESTS, labels) - sum(before.samples, REQUESTS, labels)) / seconds;
  const [ok, failed] = [rate({ status: /^[23]/ }), rate(FAILED)];
  const rejected = rate({ status: /^[45]/ }) - failed;
  if (seconds <= 0 || Math.min(ok, rejected, failed) < 0) return undefined;
  return { at: after.at, ok, rejected, failed };
}

/** Requests, or those with a matching status. */
export const requestsWith = (samples: readonly Sample[], status: RegExp, endpoint?: string): number =>
  sum(samples, REQUESTS, { status, ...(endpoint !== undefined && { endpoint }) });

/** Failed requests, except where the caller chose the failure. */
export const requestsFailed = (samples: readonly Sample[], endpoint?: string): number =>
  sum(samples, REQUESTS, { ...FAILED, ...(endpoint !== undefined && { endpoint }) });

/** Statuses with their number of responses, most frequent first. */
export function statusCounts(samples: readonly Sample[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { name, labels, value } of samples) {
    const status = labels['status'];
    if (name === REQUESTS && status !== undefined) counts.set(status, (counts.get(status) ?? 0) + value);
  }
  return [...counts].sort(([, left], [, right]) => right - left);
}

/** A row of the table of endpoints; milliseconds are null without measurements. */
export type EndpointRow = Readonly<Record<string, string | number | null>>;

/** Traffic and durations of each endpoint. */
export function endpointRows({ samples, cache }: Snapshot): readonly EndpointRow[] {
  return cache.endpoints.map(({ endpoint, hitRatio, entries, bytes }) => {
    const ms = (histogram: string, part: number): number | null => {
      const seconds = quantile(samples, `querygate_${histogram}`, endpoint, part);
      return seconds === undefined ? null : seconds * 1000;
    };
    return {
      endpoint,
      requests: requestsWith(samples, /./, endpoint),
      rejected: requestsWith(samples, /^4/, endpoint),
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

/** A row of the table of errors: the newest of equal ones, and how many there are. */
export type FailureRow = Failures['failures'][number] & { readonly times: number };

/** Errors that differ in no more than their time, request and the text of their cause are one row. */
export function failureRows({ failures }: Failures): readonly FailureRow[] {
  const rows = new Map<string, FailureRow>();
  for (const failure of failures) {
    const { status, code, endpoint, key, diagnosis } = failure;
    const kind = JSON.stringify([status, code, endpoint, key, diagnosis]);
    const { times, ...newest } = rows.get(kind) ?? { ...failure, times: 0 };
    rows.set(kind, { ...newest, times: times + 1 });
  }
  return [...rows.values()];
}
