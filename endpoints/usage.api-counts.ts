import {
  all,
  BARRIER,
  choose,
  column,
  defineEndpoint,
  is,
  isPinned,
  matches,
  oneOf,
  regularExpression,
  sql,
  where,
} from '../src/endpoint/index.js';

/**
 * Expressions that, found in the beginning of a text, are found in the whole of it: those that nowhere ask what comes after
 * (`$`, `\\b`, `\\z`). Only harmless escapes are let through.
 */
const IGNORES_THE_END = /^(?:[^$\\]|\\[^\p{L}\p{N}]|\\[dDsSwW])*$/u;

/**
 * A plain name: it is found in a URL if it is found in the origin or in the target, since a target begins with a sign that
 * no name has. Of four characters at least, which is what the index of targets is made of.
 */
const NAME = /^[\p{L}\p{N}_-]{4,}$/u;

/** Of a group of records; the projection of the table keeps the very same expressions. */
const COUNTS = sql`
  countIf(position(path, '/rest') > 0) AS total_rest_requests,
  countIf(position(path, '/storage') > 0) AS total_storage_requests,
  countIf(position(path, '/auth') > 0) AS total_auth_requests,
  countIf(position(path, '/realtime') > 0) AS total_realtime_requests`;

export default defineEndpoint({
  id: 'c5a3f2b9-1f6e-4a57-8d94-2b7f8f0e3c44',
  name: 'usage.api-counts',
  summary: 'Requests per API (REST, storage, auth, realtime) in time buckets.',
  parameters: {
    project: regularExpression({
      required: true,
      maxLength: 1000,
      description: 'Regular expression (RE2, unanchored) tested against the request URL.',
    }),
    interval: oneOf(['minutely', 'hourly', 'daily'], {
      required: true,
      description:
        'minutely: the last 60 minutes by minute; hourly: the last hour by hour; daily: the last 7 days by day.',
    }),
  },
  columns: {
    timestamp: column("DateTime('UTC')", 'Bucket start.'),
    total_rest_requests: column('UInt64', 'Requests whose path contains /rest.'),
    total_storage_requests: column('UInt64', 'Requests whose path contains /storage.'),
    total_auth_requests: column('UInt64', 'Requests whose path contains /auth.'),
    total_realtime_requests: column('UInt64', 'Requests whose path contains /realtime.'),
  },
  maxRows: 1000,
  caching: 900,
  warming: 300,
  sandboxing: 'disabled',
  example: { project: 'aurora', interval: 'daily' },
  build: ({ project, interval }, now) => {
    const start = sql`${now} - ${choose(
      [is(interval, 'minutely'), sql`INTERVAL 60 MINUTE`],
      [is(interval, 'hourly'), sql`INTERVAL 1 HOUR`],
      sql`INTERVAL 7 DAY`,
    )}`;
    const bucket = choose(
      [is(interval, 'minutely'), sql`toStartOfMinute(log.timestamp)`],
      [is(interval, 'hourly'), sql`toStartOfHour(log.timestamp)`],
      sql`toStartOfDay(log.timestamp)`,
    );
    // What a key fixes is a project, and no pattern that could match another one.
    const isOfProject = choose([isPinned(project), sql`project = ${project}`], sql`match(url, ${project})`);
    // Compiled even where no row is left to test, so that an invalid expression is an error on every day of the year; and
    // once after a group, since ClickHouse asks RE2 only where it sees an operator before an unpaired `)` or a last `\`.
    const compiles = choose(
      [isPinned(project), sql`true`],
      sql`NOT ignore(match('', ${project}), match('', concat('()', ${project})))`,
    );
    const fromRecords = sql`
      SELECT ${bucket} AS timestamp, ${COUNTS}
      FROM edge_logs AS log
      ${where(isOfProject, sql`log.timestamp >= ${start}`, compiles)}
      GROUP BY timestamp
      ORDER BY timestamp`;

    const hour = sql`dateTrunc('hour', log.timestamp)`;
    const firstWholeHour = sql`dateTrunc('hour', ${start} + INTERVAL 3599999999 MICROSECOND)`;
    const onlyTargetMatches = sql`
      UNION ALL
      SELECT ${hour} AS hour, ${COUNTS}
      FROM edge_logs AS log
      ${where(
        choose([matches(project, NAME), sql`match(target, ${project})`], sql`true`),
        sql`match(url, ${project})`,
        sql`NOT match(origin, ${project})`,
        sql`log.timestamp >= ${firstWholeHour}`,
      )}
      GROUP BY hour`;
    const ofProject = sql`
      SELECT ${hour} AS hour, ${COUNTS}
      FROM edge_logs AS log
      ${where(sql`project = ${project}`, sql`${hour} >= ${firstWholeHour}`)}
      GROUP BY hour`;
    // The barrier keeps the expression from the hours' filter, which ClickHouse compares with the primary key of every
    // granule where it is not alone.
    const ofOrigins = sql`
      SELECT hour, total_rest_requests, total_storage_requests, total_auth_requests, total_realtime_requests
      FROM (
        SELECT origin, ${hour} AS hour, ${COUNTS}
        FROM edge_logs AS log
        ${where(sql`${hour} >= ${firstWholeHour}`)}
        GROUP BY origin, hour
        ${BARRIER}
      )
      ${where(sql`match(origin, ${project})`)}`;
    // Few origins instead of many URLs: whole hours of those that match come from the projection. Records are read for the
    // hour that the window cuts, and where a URL matches though its origin does not.
    const fromHours = sql`
      SELECT
        toStartOfDay(hour) AS timestamp,
        sum(total_rest_requests) AS total_rest_requests,
        sum(total_storage_requests) AS total_storage_requests,
        sum(total_auth_requests) AS total_auth_requests,
        sum(total_realtime_requests) AS total_realtime_requests
      FROM (
        ${choose([isPinned(project), ofProject], ofOrigins)}
        UNION ALL
        SELECT ${hour} AS hour, ${COUNTS}
        FROM edge_logs AS log
        ${where(isOfProject, sql`log.timestamp >= ${start}`, sql`log.timestamp < ${firstWholeHour}`, compiles)}
        GROUP BY hour
        ${choose([isPinned(project), sql``], onlyTargetMatches)}
      )
      GROUP BY timestamp
      ORDER BY timestamp`;
    const isDaily = is(interval, 'daily');
    return choose(
      [all(isDaily, isPinned(project)), fromHours],
      [all(isDaily, matches(project, IGNORES_THE_END)), fromHours],
      fromRecords,
    );
  },
});
