import {
  choose,
  column,
  defineEndpoint,
  is,
  sql,
  text,
  whenGiven,
  where,
  type Reference,
  type Sql,
} from 'querygate';

import { WITHOUT_PROJECTIONS } from './_projections.js';

/** The window of a series and its buckets. */
interface Series {
  readonly window: Sql;
  /** Start of the bucket that contains a time. */
  readonly bucket: (time: Sql) => Sql;
  /** Whether a time is in one of the buckets from that of `first` to that of `last`. */
  readonly isWithin: (time: Sql, first: Sql, last: Sql) => Sql;
}

const seconds = (time: Sql): Sql => sql`dateTrunc('second', ${time})`;
const minutes = (time: Sql): Sql => sql`dateTrunc('minute', ${time})`;
// The table has projections by these, which ClickHouse reads where the query has exactly the same expression.
const hours = (time: Sql): Sql => sql`dateTrunc('hour', ${time})`;
const days = (time: Sql): Sql => sql`dateTrunc('day', ${hours(time)})`;

const between =
  (bucket: Series['bucket']): Series['isWithin'] =>
  (time, first, last) =>
    sql`${bucket(time)} BETWEEN ${bucket(first)} AND ${bucket(last)}`;

/** A series of buckets that are shorter than those of the projections. */
const fromRecords = (window: Sql, bucket: Series['bucket']): Series => ({
  window,
  bucket,
  isWithin: (...times) => sql`${between(bucket)(...times)}${WITHOUT_PROJECTIONS}`,
});

/** By the value of `interval`; any other value means one day. */
const NAMED: readonly (readonly [string, Series])[] = [
  ['5min', fromRecords(sql`INTERVAL 5 MINUTE`, seconds)],
  ['15min', fromRecords(sql`INTERVAL 15 MINUTE`, minutes)],
  ['1hr', fromRecords(sql`INTERVAL 1 HOUR`, minutes)],
  [
    '7day',
    {
      window: sql`INTERVAL 7 DAY`,
      bucket: days,
      // By hours: ClickHouse would compute the day of many granules in every part.
      isWithin: (time, first, last) =>
        sql`${hours(time)} >= ${days(first)} AND ${hours(time)} < ${days(last)} + INTERVAL 1 DAY`,
    },
  ],
];
const ONE_DAY: Series = { window: sql`INTERVAL 1 DAY`, bucket: hours, isWithin: between(hours) };

/** Chooses a fragment by the value of `interval`. */
const perInterval = (interval: Reference<string>, write: (series: Series) => Sql): Sql =>
  choose(...NAMED.map(([name, series]) => [is(interval, name), write(series)] as const), write(ONE_DAY));

const IS_NUMBER = sql`NOT isNaN(log.execution_time_ms)`;
/** Quantiles by Greenwald and Khanna, within 0.5 % of rank: 64-bit elements of the data. */
const QUANTILES = sql`quantilesGKOrNullIf(200, 0.95, 0.99)(log.execution_time_ms, ${IS_NUMBER})`;

export default defineEndpoint({
  id: '8f0c7f5e-3a8d-4c55-9a0e-6f1f0b6a2d11',
  name: 'functions.invocation-stats',
  summary: 'Invocations of a project’s functions in time buckets: execution times, count and errors.',
  tags: ['functions', 'usage'],
  parameters: {
    project: text({ required: true, description: 'Project reference.' }),
    function_id: text({
      description: 'Only this function. Empty or omitted: all functions of the project.',
      empty: 'omitted',
    }),
    interval: text({
      description: 'How far back, and in which buckets. Any other value, or none, behaves as 1day.',
      suggestions: ['5min', '15min', '1hr', '1day', '7day'],
    }),
  },
  columns: {
    timestamp: column("DateTime('UTC')", 'Bucket start.'),
    min_execution_time: column('Nullable(Float64)', 'Minimum of execution_time_ms in the bucket.'),
    max_execution_time: column('Nullable(Float64)', 'Maximum of execution_time_ms.'),
    avg_execution_time: column('Nullable(Float64)', 'Average of execution_time_ms.'),
    p95_execution_time: column(
      'Nullable(Float64)',
      '0.95 quantile of execution_time_ms, within 1 % of rank.',
    ),
    p99_execution_time: column(
      'Nullable(Float64)',
      '0.99 quantile of execution_time_ms, within 1 % of rank.',
    ),
    count: column('UInt64', 'Number of log records in the bucket.'),
    error_count: column('UInt64', 'Number of responses with status_code >= 400.'),
  },
  maxRows: 1000,
  caching: 900,
  warming: 300,
  sandboxing: 'disabled',
  example: { project: 'aurora', interval: '1hr' },
  build: ({ project, function_id, interval }, now) => {
    const bucket = perInterval(interval, (series) => series.bucket(sql`log.timestamp`));
    return sql`
      SELECT
        toDateTime(${bucket}, 'UTC') AS timestamp,
        min(log.execution_time_ms) AS min_execution_time,
        max(log.execution_time_ms) AS max_execution_time,
        avgIf(log.execution_time_ms, ${IS_NUMBER}) AS avg_execution_time,
        arrayElementOrNull(${QUANTILES}, 1) AS p95_execution_time,
        arrayElementOrNull(${QUANTILES}, 2) AS p99_execution_time,
        count() AS count,
        countIf(log.status_code >= 400) AS error_count
      FROM function_relay_logs AS log
      ${where(
        sql`log.project = ${project}`,
        whenGiven(function_id, sql`log.function_id = ${function_id}`),
        perInterval(interval, ({ window, isWithin }) =>
          isWithin(sql`log.timestamp`, sql`${now} - ${window}`, sql`${now}`),
        ),
      )}
      GROUP BY timestamp
      ORDER BY timestamp`;
  },
});
