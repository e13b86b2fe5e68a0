import { column, defineEndpoint, sql, text, timestamp, whenGiven, type Reference, type Sql } from 'querygate';

import { equalTo, groupsByDay, keyOf } from './_projections.js';

const optionsOf = (name: string): { description: string } => ({
  description: `Only records with this ${name}.`,
});

const GROUPS = {
  event_name: column('Nullable(String)', 'Event name.'),
  country: column('LowCardinality(Nullable(String))', 'Country.'),
  device: column('LowCardinality(Nullable(String))', 'Device.'),
  language: column('LowCardinality(Nullable(String))', 'Language.'),
  referrer: column('Nullable(String)', 'Referrer.'),
  utm_params: column('Nullable(String)', 'Campaign parameters.'),
};

/** Compares a scalar as text; null, an array, an object, and text that is not a JSON object never match. */
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
  summary: 'Redirects per day, by event, country, device, language, referrer and campaign.',
  tags: ['events'],
  parameters: {
    event_name: text(optionsOf('event_name')),
    country: text(optionsOf('country')),
    device: text(optionsOf('device')),
    language: text(optionsOf('language')),
    referrer: text(optionsOf('referrer')),
    utm_key: text({ description: 'Key in utm_params; applies only together with utm_value.' }),
    utm_value: text({ description: 'Text value that utm_params must have at utm_key.' }),
    start_time: timestamp({
      description: 'Only records at or after this time.',
      subMicrosecond: 'ceil',
      empty: 'problem',
    }),
    end_time: timestamp({ description: 'Only records at or before this time.', empty: 'problem' }),
  },
  columns: {
    group_time: column("DateTime64(0, 'UTC')", 'Timestamp truncated to the day.'),
    ...GROUPS,
    total_hits: column('UInt64', 'Number of records in the group.'),
  },
  pages: { by: ['group_time', ...Object.keys(GROUPS).map((name) => `${name} nulls first`)] },
  maxRows: 1000,
  caching: 300,
  warming: 1800,
  sandboxing: 'disabled',
  example: { country: 'DE', utm_key: 'utm_source', utm_value: 'newsletter' },
  build: (p, _now, after) =>
    groupsByDay({
      table: 'custom_events',
      only: ['event_type', 'url_redirect'],
      groups: GROUPS,
      filters: [
        ...equalTo({
          event_name: p.event_name,
          country: p.country,
          device: p.device,
          language: p.language,
          referrer: p.referrer,
        }),
        whenGiven(
          [p.utm_key, p.utm_value],
          hasScalar(sql`substring(${keyOf('utm_params')}, 2)`, p.utm_key, p.utm_value),
        ),
      ],
      range: { start: p.start_time, end: p.end_time },
      after: after.rows,
    }),
});
