import {
  choose,
  column,
  defineEndpoint,
  is,
  isHeld,
  matches,
  oneOf,
  preferRollup,
  regularExpression,
  sql,
  where,
  type Sql,
} from '../src/endpoint/index.js';

/**
 * Expressions that, found in the beginning of a text, are found in the whole of it: those that nowhere ask what comes after
 * (`$`, `\\b`, `\\z`). Only harmless escapes are let through.
 */
const IGNORES_THE_END = /^(?:[^$\\]|\\[^\p{L}\p{N}]|\\[dDsSwW])*$/u;

/** The beginning of a URL by which the rollups count. */
const ORIGIN = sql`regexpExtract(log.url, '^[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*', 0)`;

/** The rest of it, as the n-gram index of whole million records has it. */
const REST = sql`substring(log.url, 1 + length(${ORIGIN}))`;

/**
 * A plain name: it is found in a URL if it is found in the origin or in the rest, since a rest begins with a sign that no
 * name has. Of four characters at least, which is what the index is made of.
 */
const NAME = /^[\p{L}\p{N}_-]{4,}$/u;

/** From when on times do not fit the rollups, which hold a DateTime. */
const TOO_LATE = sql`toDateTime64('2105-01-01', 6, 'UTC')`;

/** Columns of the answer, of one record or of a row of a rollup. */
const ONE = sql`
  toUInt64(position(log.path, '/rest') > 0) AS rest_requests,
  toUInt64(position(log.path, '/storage') > 0) AS storage_requests,
  toUInt64(position(log.path, '/auth') > 0) AS auth_requests,
  toUInt64(position(log.path, '/realtime') > 0) AS realtime_requests`;
const MANY = sql`rest_requests, storage_requests, auth_requests, realtime_requests`;

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
    const bucketOf = (time: Sql): Sql =>
      choose(
        [is(interval, 'minutely'), sql`toStartOfMinute(${time})`],
        [is(interval, 'hourly'), sql`toStartOfHour(${time})`],
        sql`toStartOfDay(${time})`,
      );
    const start = sql`${now} - ${choose(
      [is(interval, 'minutely'), sql`INTERVAL 60 MINUTE`],
      [is(interval, 'hourly'), sql`INTERVAL 1 HOUR`],
      sql`INTERVAL 7 DAY`,
    )}`;
    // What a key holds its caller to is a project, and no pattern that could match another one.
    const isOfProject = choose(
      [isHeld(project), sql`log.project = ${project}`],
      sql`match(log.url, ${project})`,
    );
    // Compiled even where no row is left to test, so that a bad expression is told on every day of the year; and once
    // after a group, since ClickHouse asks RE2 only where it sees an operator before an unpaired `)` or a last `\`.
    const compiles = choose(
      [isHeld(project), sql`true`],
      sql`NOT ignore(match('', ${project}), match('', concat('()', ${project})))`,
    );
    const raw = sql`
      SELECT
        ${bucketOf(sql`log.timestamp`)} AS timestamp,
        countIf(position(log.path, '/rest') > 0) AS total_rest_requests,
        countIf(position(log.path, '/storage') > 0) AS total_storage_requests,
        countIf(position(log.path, '/auth') > 0) AS total_auth_requests,
        countIf(position(log.path, '/realtime') > 0) AS total_realtime_requests
      FROM edge_logs AS log
      ${where(isOfProject, sql`log.timestamp >= ${start}`, compiles)}
      GROUP BY timestamp
      ORDER BY timestamp`;

    const firstMinute = sql`toStartOfMinute(${start} + INTERVAL 59999999 MICROSECOND)`;
    const firstHour = sql`toStartOfHour(${start} + INTERVAL 3599999999 MICROSECOND)`;
    const countsFor = choose(
      [isHeld(project), sql`part.project = ${project}`],
      sql`match(part.origin, ${project})`,
    );
    const hours = sql`
      SELECT ${bucketOf(sql`part.hour`)} AS timestamp, ${MANY}
      FROM edge_request_hours AS part
      ${where(countsFor, sql`part.hour >= ${firstHour}`)}
      UNION ALL`;
    const isDaily = is(interval, 'daily');
    const records = (condition: Sql): Sql => sql`
      UNION ALL
      SELECT ${bucketOf(sql`log.timestamp`)} AS timestamp, ${ONE}
      FROM edge_logs AS log
      ${condition}`;
    // As a DateTime64, since ClickHouse takes less than a DateTime for a whole second less when it prunes granules.
    const rolledUpFrom = sql`toDateTime64(${firstMinute}, 6, 'UTC')`;
    // The records of the minute that the window cuts, and those of times that no rollup holds.
    const cut = records(
      where(
        isOfProject,
        sql`log.timestamp >= ${start}`,
        sql`(log.timestamp < ${rolledUpFrom} OR log.timestamp >= ${TOO_LATE})`,
        compiles,
      ),
    );
    // Projects that the rollups count whole.
    const counted = sql`(
      SELECT origins.project FROM edge_request_hours AS origins
      WHERE origins.hour >= toStartOfHour(${start})
      GROUP BY origins.project
      HAVING min(match(origins.origin, ${project})) = 1)`;
    const isOfOtherOrigin = sql`NOT match(${ORIGIN}, ${project})`;
    // The records whose URL matches though its origin does not. For a name the index of rests mostly leaves no record to
    // look at, and looking through the primary key for times and projects would take longer than all else: `identity`
    // keeps ClickHouse from that, and the partition's id, which is its day, from reading what is older than the window.
    const ofOtherOrigins = choose(
      [isHeld(project), sql``],
      [
        matches(project, NAME),
        records(
          where(
            sql`toInt64OrZero(log._partition_id) >= toInt64(toDate32(${rolledUpFrom}))`,
            sql`match(${REST}, ${project})`,
            sql`match(log.url, ${project})`,
            isOfOtherOrigin,
            sql`identity(log.project) NOT IN ${counted}`,
            sql`identity(log.timestamp) >= ${rolledUpFrom}`,
            sql`identity(log.timestamp) < ${TOO_LATE}`,
          ),
        ),
      ],
      records(
        where(
          sql`match(log.url, ${project})`,
          isOfOtherOrigin,
          sql`log.project NOT IN ${counted}`,
          sql`log.timestamp >= ${rolledUpFrom}`,
          sql`log.timestamp < ${TOO_LATE}`,
        ),
      ),
    );
    const rolledUp = sql`
      SELECT
        timestamp,
        sum(rest_requests) AS total_rest_requests,
        sum(storage_requests) AS total_storage_requests,
        sum(auth_requests) AS total_auth_requests,
        sum(realtime_requests) AS total_realtime_requests
      FROM (
        ${choose([isDaily, hours], sql``)}
        SELECT ${bucketOf(sql`part.minute`)} AS timestamp, ${MANY}
        FROM edge_request_minutes AS part
        ${where(
          countsFor,
          sql`part.minute >= ${firstMinute}`,
          choose([isDaily, sql`part.minute < ${firstHour}`], sql`true`),
        )}
        ${cut}
        ${ofOtherOrigins}
      )
      GROUP BY timestamp
      ORDER BY timestamp`;
    return preferRollup([isHeld(project), matches(project, IGNORES_THE_END)], rolledUp, raw);
  },
});
