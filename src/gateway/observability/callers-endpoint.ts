import { column, defineEndpoint, sql, text, timestamp, whenGiven, where } from '../../endpoint/index.js';

/** The gateway's own endpoint `gateway.callers`: which keys still call an endpoint that is to be removed. */
export const CALLERS_ENDPOINT = defineEndpoint({
  id: '5d0e2c74-8f1a-4b6d-9c35-20e7a4f8b163',
  name: 'gateway.callers',
  summary: 'Which keys called which endpoint, how often and when last, of the last 30 days.',
  tags: ['gateway'],
  parameters: {
    endpoint: text({ description: 'Only calls of the endpoint with this name.' }),
    key_name: text({ description: 'Only calls with the key of this name.' }),
    start_time: timestamp({
      description: 'Only calls at or after this time, such as now-7d.',
      default: 'now-30d',
      relativeStep: '1s',
      empty: 'problem',
    }),
  },
  columns: {
    endpoint: column('LowCardinality(String)', 'Name of the endpoint; a version ends in @2.'),
    key_name: column('LowCardinality(String)', 'Name of the key.'),
    requests: column('UInt64', 'Calls.'),
    errors: column('UInt64', 'Of these, with a status of 400 or above.'),
    last_time: column("DateTime64(6, 'UTC')", 'End of the last response.'),
  },
  maxRows: 10_000,
  caching: 'disabled',
  warming: 0,
  sandboxing: 'disabled',
  example: {},
  build: (p) => sql`
    SELECT
      toLowCardinality(called) AS endpoint, key_name,
      count() AS requests,
      countIf(status >= 400) AS errors,
      max(timestamp) AS last_time
    FROM gateway_requests
    ARRAY JOIN if(tables = '', [gateway_requests.endpoint], splitByChar(',', tables)) AS called
    ${where(
      // Not a call: a description of an endpoint, which has no result, and a call that the key may not make.
      sql`called != '' AND key_name != '' AND (cache != '' OR status >= 400) AND code != 'FORBIDDEN'`,
      sql`timestamp >= ${p.start_time}`,
      whenGiven(p.endpoint, sql`called = ${p.endpoint}`),
      whenGiven(p.key_name, sql`key_name = ${p.key_name}`),
    )}
    GROUP BY called, key_name
    ORDER BY endpoint, requests DESC, key_name`,
});
