import {
  all,
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
} from 'querygate';

import { BARRIER, WITHOUT_PROJECTIONS } from './_projections.js';

/**
 * Expressions that match a text whenever they match a prefix of it, such as the origin of a URL: they have no assertion about
 * what follows (`$`, `\b`, `\z`). The pattern admits only escapes that assert nothing.
 */
const IGNORES_THE_END = /^(?:[^$\\]|\\[^\p{L}\p{N}]|\\[dDsSwW])*$/u;

/**
 * A plain name. It is in a URL exactly if it is in the origin or in the target, since a target begins with a character that no
 * name has. It has at least four characters, the length of the n-grams in the index of targets.
 */
const NAME = /^[\p{L}\p{N}_-]{4,}$/u;

/** Counts of a group of records; the projection of the table has exactly these expressions. */
const COUNTS = sql`
  countIf(position(path, '/rest') > 0) AS total_rest_requests,
  countIf(position(path, '/storage') > 0) AS total_storage_requests,
  countIf(position(path, '/auth') > 0) AS total_auth_requests,
  countIf(position(path, '/realtime') > 0) AS total_realtime_requests`;

export default defineEndpoint({
  id: 'c5a3f2b9-1f6e-4a57-8d94-2b7f8f0e3c44',
  name: 'usage.api-counts',
  summary: 'Requests per API (REST, storage, auth, realtime) in time buckets.',
  tags: ['usage'],
  parameters: {
    project: regularExpression({
      required: true,
      maxLength: 1000,
      description:
        'Regular expression (RE2, unanchored) of 1 to 1,000 characters, tested against the request URL.',
    }),
    interval: oneOf(['minutely', 'hourly', 'daily'], {
      required: true,
      empty: 'problem',
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
    // A pinned value is the name of a project, not a pattern, which could match other projects.
    const isOfProject = choose([isPinned(project), sql`project = ${project}`], sql`match(url, ${project})`);
    // Compiles the expression even where no row is left to test, so that an invalid expression is always an error. The second
    // match puts `()` before it: without an operator before an unpaired `)` or a final `\`, ClickHouse would not call RE2.
    const compiles = choose(
      [isPinned(project), sql`true`],
      sql`NOT ignore(match('', ${project}), match('', concat('()', ${project})))`,
    );
    const fromRecords = sql`
      SELECT ${bucket} AS timestamp, ${COUNTS}
      FROM edge_logs AS log
      ${where(isOfProject, sql`log.timestamp >= ${start}`, compiles)}
      GROUP BY timestamp
      ORDER BY timestamp${WITHOUT_PROJECTIONS}`;

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
    // Without the barrier ClickHouse would combine the expression with the filter on hours, and could then no longer compare
    // that filter with the primary key of each granule.
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
    // There are few origins but many URLs: whole hours of matching origins come from the projection. Records are read for the
    // incomplete hour at the start of the window, and where a URL matches but its origin does not.
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
