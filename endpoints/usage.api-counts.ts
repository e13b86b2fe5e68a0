import {
  choose,
  column,
  defineEndpoint,
  is,
  isHeld,
  oneOf,
  regularExpression,
  sql,
  where,
} from '../src/endpoint/index.js';

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
  build: ({ project, interval }, now) => sql`
    SELECT
      ${choose(
        [is(interval, 'minutely'), sql`toStartOfMinute(log.timestamp)`],
        [is(interval, 'hourly'), sql`toStartOfHour(log.timestamp)`],
        sql`toStartOfDay(log.timestamp)`,
      )} AS timestamp,
      countIf(position(log.path, '/rest') > 0) AS total_rest_requests,
      countIf(position(log.path, '/storage') > 0) AS total_storage_requests,
      countIf(position(log.path, '/auth') > 0) AS total_auth_requests,
      countIf(position(log.path, '/realtime') > 0) AS total_realtime_requests
    FROM edge_logs AS log
    ${where(
      // What a key holds its caller to is a project, and no pattern that could match another one.
      choose([isHeld(project), sql`log.project = ${project}`], sql`match(log.url, ${project})`),
      sql`log.timestamp >= ${now} - ${choose(
        [is(interval, 'minutely'), sql`INTERVAL 60 MINUTE`],
        [is(interval, 'hourly'), sql`INTERVAL 1 HOUR`],
        sql`INTERVAL 7 DAY`,
      )}`,
      // Compiled even where no row is left to test, so that a bad expression is told on every day of the year; and once
      // after a group, since ClickHouse asks RE2 only where it sees an operator before an unpaired `)` or a last `\`.
      choose(
        [isHeld(project), sql`true`],
        sql`NOT ignore(match('', ${project}), match('', concat('()', ${project})))`,
      ),
    )}
    GROUP BY timestamp
    ORDER BY timestamp`,
});
