import { column, defineEndpoint, sql, text, timestamp, whenGiven, where } from '../src/endpoint/index.js';

const equals = (name: string): { description: string } => ({
  description: `Only records whose ${name} is this.`,
});

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
  build: (p) => sql`
    SELECT
      toDateTime64(toDate32(event.timestamp), 0, 'UTC') AS group_time,
      event_name, country, device, language, referrer, utm_params,
      count() AS total_hits
    FROM custom_events AS event
    ${where(
      sql`event_type = 'url_redirect'`,
      whenGiven(p.event_name, sql`event_name = ${p.event_name}`),
      whenGiven(p.country, sql`country = ${p.country}`),
      whenGiven(p.device, sql`device = ${p.device}`),
      whenGiven(p.language, sql`language = ${p.language}`),
      whenGiven(p.referrer, sql`referrer = ${p.referrer}`),
      // A scalar is compared as text; a null, an array, an object or text that is no JSON object never matches.
      whenGiven(
        [p.utm_key, p.utm_value],
        sql`
          JSONType(utm_params) = 'Object' AND multiIf(
            JSONType(utm_params, ${p.utm_key}) = 'String',
            JSONExtractString(utm_params, ${p.utm_key}) = ${p.utm_value},
            JSONType(utm_params, ${p.utm_key}) IN ('Bool', 'Int64', 'UInt64', 'Double'),
            JSONExtractRaw(utm_params, ${p.utm_key}) = ${p.utm_value},
            false)`,
      ),
      whenGiven(p.start_time, sql`event.timestamp >= ${p.start_time}`),
      whenGiven(p.end_time, sql`event.timestamp <= ${p.end_time}`),
    )}
    GROUP BY group_time, event_name, country, device, language, referrer, utm_params
    ORDER BY
      group_time, event_name NULLS FIRST, country NULLS FIRST, device NULLS FIRST,
      language NULLS FIRST, referrer NULLS FIRST, utm_params NULLS FIRST`,
});
