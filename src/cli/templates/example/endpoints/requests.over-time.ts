// In TypeScript, because the query changes its shape: the interval decides which function makes the buckets.
import { choose, column, defineEndpoint, is, oneOf, sql, text, timestamp } from 'querygate';

export default defineEndpoint({
  id: '00000000-0000-4000-8000-000000000000',
  name: 'requests.over-time',
  summary: 'Requests and failures of a shop over time.',
  parameters: {
    shop: text({ required: true, description: 'Name of the shop: harbour or station.' }),
    interval: oneOf(['hour', 'day'], { default: 'hour', description: 'Length of a bucket.' }),
    since: timestamp({
      default: 'now-24h',
      relativeStep: '1m',
      description: 'Only requests at or after this time.',
    }),
  },
  columns: {
    bucket: column("DateTime('UTC')", 'When the bucket begins.'),
    requests: column('UInt64', 'Number of requests.'),
    failures: column('UInt64', 'Number of requests with a status of 500 or more.'),
  },
  maxRows: 1000,
  caching: 60, // seconds
  warming: 0,
  sandboxing: 'disabled',
  example: { shop: 'harbour' },
  build: ({ shop, interval, since }) => {
    const start = choose([is(interval, 'day'), sql`toStartOfDay`], sql`toStartOfHour`);
    return sql`
      SELECT ${start}(timestamp) AS bucket, count() AS requests, countIf(status >= 500) AS failures
      FROM requests
      WHERE shop = ${shop} AND timestamp >= ${since}
      GROUP BY bucket
      ORDER BY bucket`;
  },
});
