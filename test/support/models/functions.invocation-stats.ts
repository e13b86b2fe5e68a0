import { groupBy } from './groups.js';
import { DAY, HOUR, MINUTE, printSeconds, SECOND, startOf, type Micros } from './time.js';

/** The columns of a function relay log record that the endpoint reads. */
export interface RelayRecord {
  readonly timestamp: Micros;
  readonly project: string;
  readonly function_id: string;
  readonly status_code: number | null;
  readonly execution_time_ms: number | null;
}

export interface InvocationStatsParameters {
  readonly project: string;
  readonly function_id?: string;
  readonly interval?: string;
}

/** Bounds of an approximated quantile: it must be one of the elements between `from` and `to`. */
export interface Between {
  readonly from: number;
  readonly to: number;
}

/** A row of `functions.invocation-stats`. */
export interface InvocationStats {
  readonly timestamp: string;
  readonly min_execution_time: number | null;
  readonly max_execution_time: number | null;
  readonly avg_execution_time: number | null;
  readonly p95_execution_time: Between | null;
  readonly p99_execution_time: Between | null;
  readonly count: number;
  readonly error_count: number;
}

interface Series {
  readonly unit: Micros;
  readonly length: Micros;
}

const ONE_DAY: Series = { unit: HOUR, length: DAY };
const SERIES: ReadonlyMap<string, Series> = new Map([
  ['5min', { unit: SECOND, length: 5n * MINUTE }],
  ['15min', { unit: MINUTE, length: 15n * MINUTE }],
  ['1hr', { unit: MINUTE, length: HOUR }],
  ['1day', ONE_DAY],
  ['7day', { unit: DAY, length: 7n * DAY }],
]);

/** Bucket and length of the series, by interval. */
export function seriesOf(interval = '1day'): Series {
  return SERIES.get(interval) ?? ONE_DAY;
}

/** Computes the result of `functions.invocation-stats` for these records. */
export function invocationStats(
  records: readonly RelayRecord[],
  { project, function_id = '', interval }: InvocationStatsParameters,
  now: Micros,
): readonly InvocationStats[] {
  const { unit, length } = seriesOf(interval);
  const first = startOf(unit, now - length);
  const last = startOf(unit, now);
  const bucketOf = (record: RelayRecord): Micros => startOf(unit, record.timestamp);
  const counted = records.filter(
    (record) =>
      record.project === project &&
      (function_id === '' || record.function_id === function_id) &&
      bucketOf(record) >= first &&
      bucketOf(record) <= last,
  );
  return groupBy(counted, (record) => printSeconds(bucketOf(record)))
    .map((group) => statsOf(printSeconds(bucketOf(group[0])), group))
    .sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
}

function statsOf(timestamp: string, group: readonly RelayRecord[]): InvocationStats {
  const times = group
    .flatMap(({ execution_time_ms }) => (execution_time_ms === null ? [] : [execution_time_ms]))
    .sort((a, b) => a - b);
  return {
    timestamp,
    min_execution_time: times[0] ?? null,
    max_execution_time: times.at(-1) ?? null,
    avg_execution_time: times.length === 0 ? null : times.reduce((sum, time) => sum + time, 0) / times.length,
    p95_execution_time: elementsAround(0.95, times),
    p99_execution_time: elementsAround(0.99, times),
    count: group.length,
    error_count: group.filter(({ status_code }) => status_code !== null && status_code >= 400).length,
  };
}

/** Returns the elements up to one hundredth of all below and above a rank, and one more because the rank is not exact. */
function elementsAround(level: number, ascending: readonly number[]): Between | null {
  const { length } = ascending;
  const from = ascending[Math.max(0, Math.floor((level - 0.01) * length) - 1)];
  const to = ascending[Math.min(length - 1, Math.ceil((level + 0.01) * length))];
  return from === undefined || to === undefined ? null : { from, to };
}
