import {
  all,
  choose,
  column,
  defineEndpoint,
  is,
  not,
  preferRollup,
  sql,
  text,
  whenGiven,
  where,
  type Condition,
  type Reference,
  type Sql,
} from '../src/endpoint/index.js';

/** A table that has the buckets of a series, and its column of their starts. */
interface Rollup {
  readonly table: Sql;
  readonly start: Sql;
}

interface Series {
  /** Start of the bucket that holds a time. */
  readonly bucket: (time: Sql) => Sql;
  readonly bucketLength: Sql;
  /** How far back from now the first bucket lies. */
  readonly window: Sql;
  /** Absent where no rollup has these buckets. */
  readonly rollup?: Rollup;
}

const SECONDS = {
  bucket: (time: Sql) => sql`toDateTime(toStartOfSecond(${time}))`,
  bucketLength: sql`INTERVAL 1 SECOND`,
};
const MINUTES = {
  bucket: (time: Sql) => sql`toStartOfMinute(${time})`,
  bucketLength: sql`INTERVAL 1 MINUTE`,
  rollup: { table: sql`function_relay_minutes`, start: sql`part.minute` },
};
const HOURS = {
  bucket: (time: Sql) => sql`toStartOfHour(${time})`,
  bucketLength: sql`INTERVAL 1 HOUR`,
  rollup: { table: sql`function_relay_hours`, start: sql`part.hour` },
};
const DAYS = {
  bucket: (time: Sql) => sql`toStartOfDay(${time})`,
  bucketLength: sql`INTERVAL 1 DAY`,
  rollup: { table: sql`function_relay_days`, start: sql`part.day` },
};

/** By the interval that a caller names; any other value means one day. */
const NAMED: readonly (readonly [string, Series])[] = [
  ['5min', { ...SECONDS, window: sql`INTERVAL 5 MINUTE` }],
  ['15min', { ...MINUTES, window: sql`INTERVAL 15 MINUTE` }],
  ['1hr', { ...MINUTES, window: sql`INTERVAL 1 HOUR` }],
  ['7day', { ...DAYS, window: sql`INTERVAL 7 DAY` }],
];
const ONE_DAY = { ...HOURS, window: sql`INTERVAL 1 DAY` };

/** Writes a fragment for the series that the caller's interval names. */
const perInterval = (interval: Reference<string>, write: (series: Series) => Sql): Sql =>
  choose(...NAMED.map(([name, series]) => [is(interval, name), write(series)] as const), write(ONE_DAY));

/** True where a rollup has the buckets of the series. */
const isRolledUp = (interval: Reference<string>): Condition =>
  all(...NAMED.flatMap(([name, { rollup }]) => (rollup ? [] : [not(is(interval, name))])));

/** The same for its rollup, where it has one. */
const perRollup = (interval: Reference<string>, write: (rollup: Rollup) => Sql): Sql =>
  choose(
    ...NAMED.flatMap(([name, { rollup }]) => (rollup ? [[is(interval, name), write(rollup)] as const] : [])),
    write(ONE_DAY.rollup),
  );

/** Of Greenwald and Khanna, within 0.5 % of rank: elements of the data, in 64 bits. A NaN is no execution time. */
const QUANTILES = sql`
  quantilesGKOrNull(200, 0.95, 0.99)(if(isNaN(log.execution_time_ms), NULL, log.execution_time_ms))`;
const QUANTILES_OF_PARTS = sql`quantilesGKOrNullMerge(200, 0.95, 0.99)(part.execution_times)`;

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
    const firstBucket = perInterval(interval, ({ bucket, window }) => bucket(sql`${now} - ${window}`));
    const lastBucket = perInterval(interval, ({ bucket }) => bucket(sql`${now}`));
    const bucketLength = perInterval(interval, (series) => series.bucketLength);
    const raw = sql`
      SELECT
        ${perInterval(interval, ({ bucket }) => bucket(sql`log.timestamp`))} AS timestamp,
        min(log.execution_time_ms) AS min_execution_time,
        max(log.execution_time_ms) AS max_execution_time,
        avg(log.execution_time_ms) AS avg_execution_time,
        arrayElementOrNull(${QUANTILES}, 1) AS p95_execution_time,
        arrayElementOrNull(${QUANTILES}, 2) AS p99_execution_time,
        count() AS count,
        countIf(log.status_code >= 400) AS error_count
      FROM function_relay_logs AS log
      ${where(
        sql`log.project = ${project}`,
        whenGiven(function_id, sql`log.function_id = ${function_id}`),
        sql`log.timestamp >= ${firstBucket}`,
        // As a DateTime64, since ClickHouse takes less than a DateTime for a whole second less when it prunes granules.
        sql`log.timestamp < toDateTime64(${lastBucket} + ${bucketLength}, 6, 'UTC')`,
      )}
      GROUP BY timestamp
      ORDER BY timestamp`;
    const start = perRollup(interval, (rollup) => rollup.start);
    const rolledUp = sql`
      SELECT
        ${start} AS timestamp,
        min(part.min_execution_time) AS min_execution_time,
        max(part.max_execution_time) AS max_execution_time,
        avgMerge(part.avg_execution_time) AS avg_execution_time,
        arrayElementOrNull(${QUANTILES_OF_PARTS}, 1) AS p95_execution_time,
        arrayElementOrNull(${QUANTILES_OF_PARTS}, 2) AS p99_execution_time,
        sum(part.invocations) AS count,
        sum(part.errors) AS error_count
      FROM ${perRollup(interval, (rollup) => rollup.table)} AS part
      ${where(
        sql`part.project = ${project}`,
        whenGiven(function_id, sql`part.function_id = ${function_id}`),
        sql`${start} BETWEEN ${firstBucket} AND ${lastBucket}`,
      )}
      GROUP BY timestamp
      ORDER BY timestamp`;
    return preferRollup([isRolledUp(interval)], rolledUp, raw);
  },
});
