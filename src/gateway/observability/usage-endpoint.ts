import {
  choose,
  column,
  defineEndpoint,
  is,
  oneOf,
  sql,
  text,
  timestamp,
  whenGiven,
  where,
} from '../../endpoint/index.js';

/** The gateway's own endpoint `gateway.usage`: what calls cost, from daily sums over the request log. */
export const USAGE_ENDPOINT = defineEndpoint({
  id: '2f6a90d7-41c8-4e3b-a5f9-7b1d83e60c42',
  name: 'gateway.usage',
  summary:
    'What calls cost by key, by endpoint or by day (UTC), and what queries cost for which no caller waited.',
  tags: ['gateway'],
  parameters: {
    by: oneOf(['key', 'endpoint', 'day'], { description: 'What a row is of.', default: 'key' }),
    since: timestamp({
      description: 'From the whole day, in UTC, of this time on, such as now-7d.',
      default: 'now-7d',
      relativeStep: '1s',
      empty: 'problem',
    }),
    endpoint: text({ description: 'Only of the endpoint with this name.' }),
    key_name: text({ description: 'Only of the key with this name.' }),
  },
  columns: {
    name: column(
      'String',
      'The key, the endpoint or the day; empty for the key of queries without a caller.',
    ),
    purpose: column(
      'LowCardinality(String)',
      'call, or what else the queries were for: warming, verification, replay, deferred.',
    ),
    requests: column('UInt64', 'Requests with a key.'),
    hits: column('UInt64', 'Of these, with a fresh cached result.'),
    errors: column('UInt64', 'Of these, with a status of 400 or above.'),
    rows_read: column(
      'UInt64',
      'Rows that queries read; a shared query counts in equal parts for all who waited for it.',
    ),
    bytes_read: column('UInt64', 'Bytes that queries read, likewise.'),
    clickhouse_ms: column('Float64', 'Milliseconds in ClickHouse, likewise.'),
    bytes_sent: column('UInt64', 'Bytes of the responses, with their headers.'),
  },
  maxRows: 10_000,
  caching: 'disabled',
  warming: 0,
  sandboxing: 'disabled',
  example: {},
  build: (p) => sql`
    SELECT
      CAST(${choose([is(p.by, 'endpoint'), sql`endpoint`], [is(p.by, 'day'), sql`toString(day)`], sql`key_name`)}, 'String') AS name,
      purpose,
      sum(u.requests) AS requests,
      sum(u.hits) AS hits,
      sum(u.errors) AS errors,
      toUInt64(round(sum(u.rows_read))) AS rows_read,
      toUInt64(round(sum(u.bytes_read))) AS bytes_read,
      round(sum(u.clickhouse_ms), 3) AS clickhouse_ms,
      sum(u.bytes_sent) AS bytes_sent
    FROM querygate_usage AS u
    ${where(
      sql`day >= toDate(${p.since}, 'UTC')`,
      whenGiven(p.endpoint, sql`endpoint = ${p.endpoint}`),
      whenGiven(p.key_name, sql`key_name = ${p.key_name}`),
    )}
    GROUP BY name, purpose
    ORDER BY clickhouse_ms DESC, requests DESC, name, purpose`,
});
