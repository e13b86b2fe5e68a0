import {
  choose,
  column,
  defineEndpoint,
  FIRST_ROWS,
  GROUP_IN_ORDER,
  keyOf,
  preferRollup,
  sql,
  text,
  timestamp,
  valueOf,
  whenGiven,
  where,
  wholeDays,
  type Reference,
  type Sql,
} from '../src/endpoint/index.js';

const equals = (name: string): { description: string } => ({
  description: `Only records whose ${name} is this.`,
});

const KEYS = sql`event_name_key, country_key, device_key, language_key, referrer_key, utm_params_key`;

/** A scalar is compared as text; a null, an array, an object or text that is no JSON object never matches. */
const hasScalar = (json: Sql, key: Reference, value: Reference): Sql => sql`
  JSONType(${json}) = 'Object' AND multiIf(
    JSONType(${json}, ${key}) = 'String',
    JSONExtractString(${json}, ${key}) = ${value},
    JSONType(${json}, ${key}) IN ('Bool', 'Int64', 'UInt64', 'Double'),
    JSONExtractRaw(${json}, ${key}) = ${value},
    false)`;

export default defineEndpoint({
  id: '5d7c1b0a-94b1-4a1e-b3f6-0c9d3e8f7a33',
  name: 'get-grouped-stats-redirects',
  summary: 'Redirects a day, by event, place, device, language, referrer and campaign.',
  parameters: {
    event_name: text(equals('event_name')),
    country: text(equals('country')),
    device: text(equals('device')),
    language: text(equals('language')),
    referrer: text(equals('referrer')),
    utm_key: text({ description: 'Key in utm_params, with utm_value; applies only when both are given.' }),
    utm_value: text({ description: 'Text value that utm_params must have at utm_key.' }),
    start_time: timestamp({ description: 'Only records at or after this time.', subMicrosecond: 'ceil' }),
    end_time: timestamp({ description: 'Only records at or before this time.' }),
  },
  columns: {
    group_time: column("DateTime64(0, 'UTC')", 'Timestamp truncated to the day.'),
    event_name: column('Nullable(String)', 'Event name.'),
    country: column('LowCardinality(Nullable(String))', 'Country.'),
    device: column('LowCardinality(Nullable(String))', 'Device.'),
    language: column('LowCardinality(Nullable(String))', 'Language.'),
    referrer: column('Nullable(String)', 'Referrer.'),
    utm_params: column('Nullable(String)', 'Campaign parameters.'),
    total_hits: column('UInt64', 'Number of records in the group.'),
  },
  maxRows: 1000,
  caching: 300,
  warming: 1800,
  sandboxing: 'disabled',
  example: { country: 'DE', utm_key: 'utm_source', utm_value: 'newsletter' },
  build: (p) => {
    const days = wholeDays(p.start_time, p.end_time);
    const filters = [
      whenGiven(p.event_name, sql`event_name = ${p.event_name}`),
      whenGiven(p.country, sql`country = ${p.country}`),
      whenGiven(p.device, sql`device = ${p.device}`),
      whenGiven(p.language, sql`language = ${p.language}`),
      whenGiven(p.referrer, sql`referrer = ${p.referrer}`),
      whenGiven([p.utm_key, p.utm_value], hasScalar(sql`utm_params`, p.utm_key, p.utm_value)),
    ];
    const raw = sql`
      SELECT
        toDateTime64(toDate32(event.timestamp), 0, 'UTC') AS group_time,
        event_name, country, device, language, referrer, utm_params,
        count() AS total_hits
      FROM custom_events AS event
      ${where(
        sql`event_type = 'url_redirect'`,
        ...filters,
        whenGiven(p.start_time, sql`event.timestamp >= ${p.start_time}`),
        whenGiven(p.end_time, sql`event.timestamp <= ${p.end_time}`),
      )}
      GROUP BY group_time, event_name, country, device, language, referrer, utm_params
      ORDER BY
        group_time, event_name NULLS FIRST, country NULLS FIRST, device NULLS FIRST,
        language NULLS FIRST, referrer NULLS FIRST, utm_params NULLS FIRST`;

    const ofWholeDays = sql`
      SELECT day, ${KEYS}, sum(hits) AS total_hits
      FROM redirect_days
      ${where(
        whenGiven(p.event_name, sql`event_name_key = concat('=', ${p.event_name})`),
        whenGiven(p.country, sql`country_key = concat('=', ${p.country})`),
        whenGiven(p.device, sql`device_key = concat('=', ${p.device})`),
        whenGiven(p.language, sql`language_key = concat('=', ${p.language})`),
        whenGiven(p.referrer, sql`referrer_key = concat('=', ${p.referrer})`),
        whenGiven(
          [p.utm_key, p.utm_value],
          hasScalar(sql`substring(utm_params_key, 2)`, p.utm_key, p.utm_value),
        ),
        ...days.inside(sql`day`),
      )}
      GROUP BY day, ${KEYS}
      ORDER BY day, ${KEYS}
      ${FIRST_ROWS}${GROUP_IN_ORDER}`;
    const ofTheRest = sql`
      UNION ALL
      SELECT
        toDate32(event.timestamp) AS day,
        ${keyOf(sql`event.event_name`)} AS event_name_key,
        ${keyOf(sql`event.country`)} AS country_key,
        ${keyOf(sql`event.device`)} AS device_key,
        ${keyOf(sql`event.language`)} AS language_key,
        ${keyOf(sql`event.referrer`)} AS referrer_key,
        ${keyOf(sql`event.utm_params`)} AS utm_params_key,
        count() AS total_hits
      FROM custom_events AS event
      ${where(sql`event_type = 'url_redirect'`, ...filters, ...days.rest(sql`event.timestamp`))}
      GROUP BY day, ${KEYS}`;
    const rolledUp = sql`
      SELECT
        toDateTime64(day, 0, 'UTC') AS group_time,
        ${valueOf(sql`event_name_key`)} AS event_name,
        CAST(${valueOf(sql`country_key`)} AS LowCardinality(Nullable(String))) AS country,
        CAST(${valueOf(sql`device_key`)} AS LowCardinality(Nullable(String))) AS device,
        CAST(${valueOf(sql`language_key`)} AS LowCardinality(Nullable(String))) AS language,
        ${valueOf(sql`referrer_key`)} AS referrer,
        ${valueOf(sql`utm_params_key`)} AS utm_params,
        total_hits
      FROM (
        ${ofWholeDays}
        ${choose(...days.only.map((condition) => [condition, sql``] as const), ofTheRest)}
      )
      ORDER BY day, ${KEYS}`;
    return preferRollup([{ equals: [] }], rolledUp, raw);
  },
});
