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
} from '../src/endpoint/index.js';

interface Series {
  /** Start of the bucket that holds a time. */
  readonly bucket: (time: Sql) => Sql;
  readonly bucketLength: Sql;
  /** How far back from now the first bucket lies. */
  readonly window: Sql;
}

const SECONDS = {
  bucket: (time: Sql) => sql`toDateTime(toStartOfSecond(${time}))`,
  bucketLength: sql`INTERVAL 1 SECOND`,
};
const MINUTES = {
  bucket: (time: Sql) => sql`toStartOfMinute(${time})`,
  bucketLength: sql`INTERVAL 1 MINUTE`,
};
const HOURS = { bucket: (time: Sql) => sql`toStartOfHour(${time})`, bucketLength: sql`INTERVAL 1 HOUR` };
const DAYS = { bucket: (time: Sql) => sql`toStartOfDay(${time})`, bucketLength: sql`INTERVAL 1 DAY` };

const ONE_DAY: Series = { ...HOURS, window: sql`INTERVAL 1 DAY` };

/** Writes a fragment for the series that the caller's interval names; any other value means one day. */
const perInterval = (interval: Reference<string>, write: (series: Series) => Sql): Sql =>
  choose(
    [is(interval, '5min'), write({ ...SECONDS, window: sql`INTERVAL 5 MINUTE` })],
    [is(interval, '15min'), write({ ...MINUTES, window: sql`INTERVAL 15 MINUTE` })],
    [is(interval, '1hr'), write({ ...MINUTES, window: sql`INTERVAL 1 HOUR` })],
    [is(interval, '7day'), write({ ...DAYS, window: sql`INTERVAL 7 DAY` })],
    write(ONE_DAY),
  );

export default defineEndpoint({
  id: '8f0c7f5e-3a8d-4c55-9a0e-6f1f0b6a2d11',
  name: 'functions.invocation-stats',
  summary:
    'Invocations of a project’s functions in time buckets: execution times, how many, and how many failed.',
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
      'Nullable(Float32)',
      '0.95 quantile of execution_time_ms, within 1 % of rank.',
    ),
    p99_execution_time: column(
      'Nullable(Float32)',
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
  build: ({ project, function_id, interval }, now) => sql`
    SELECT
      ${perInterval(interval, ({ bucket }) => bucket(sql`log.timestamp`))} AS timestamp,
      min(log.execution_time_ms) AS min_execution_time,
      max(log.execution_time_ms) AS max_execution_time,
      avg(log.execution_time_ms) AS avg_execution_time,
      quantileTDigest(0.95)(log.execution_time_ms) AS p95_execution_time,
      quantileTDigest(0.99)(log.execution_time_ms) AS p99_execution_time,
      count() AS count,
      countIf(log.status_code >= 400) AS error_count
    FROM function_relay_logs AS log
    ${where(
      sql`log.project = ${project}`,
      whenGiven(function_id, sql`log.function_id = ${function_id}`),
      sql`log.timestamp >= ${perInterval(interval, (series) => series.bucket(sql`${now} - ${series.window}`))}`,
      // As a DateTime64, since ClickHouse takes less than a DateTime for a whole second less when it prunes granules.
      sql`log.timestamp < toDateTime64(${perInterval(
        interval,
        (series) => sql`${series.bucket(sql`${now}`)} + ${series.bucketLength}`,
      )}, 6, 'UTC')`,
    )}
    GROUP BY timestamp
    ORDER BY timestamp`,
});
