import { column, defineEndpoint, sql, text, timestamp, whenGiven, where } from '../../endpoint/index.js';
import { Sql, textNode } from '../../endpoint/sql.js';
import { LISTED_COLUMNS } from './request-log-columns.js';

const equals = (what: string): { description: string } => ({
  description: `Only requests with this ${what}.`,
});

/** The gateway’s own endpoint `gateway.requests`: one row for each request. */
export const REQUESTS_ENDPOINT = defineEndpoint({
  id: '9a64f1d3-5b0e-4c27-b8a9-61d07c3f2e18',
  name: 'gateway.requests',
  summary: 'The requests to this gateway, newest first: key, outcome and cost of each.',
  tags: ['gateway'],
  parameters: {
    endpoint: text(equals('name of an endpoint')),
    key_name: text(equals('name of a key')),
    status: text(equals('HTTP status')),
    cache: text({ ...equals('cache status'), suggestions: ['HIT', 'MISS', 'PARTIAL', 'STALE', 'BYPASS'] }),
    request_id: text(equals('request id')),
    start_time: timestamp({
      description: 'Only requests at or after this time; the last day where omitted.',
      subMicrosecond: 'ceil',
      empty: 'problem',
    }),
    end_time: timestamp({ description: 'Only requests at or before this time.', empty: 'problem' }),
  },
  columns: Object.fromEntries(LISTED_COLUMNS.map(({ name, type, comment }) => [name, column(type, comment)])),
  maxRows: 1000,
  caching: 'disabled',
  warming: 0,
  sandboxing: 'disabled',
  example: { cache: 'MISS' },
  build: (p, now) => sql`
    SELECT
      ${new Sql([textNode(LISTED_COLUMNS.map(({ name }) => name).join(', '))])}
    FROM gateway_requests
    ${where(
      sql`purpose = 'call'`,
      whenGiven(p.endpoint, sql`endpoint = ${p.endpoint}`),
      whenGiven(p.key_name, sql`key_name = ${p.key_name}`),
      whenGiven(p.status, sql`toString(status) = ${p.status}`),
      whenGiven(p.cache, sql`cache = ${p.cache}`),
      whenGiven(p.request_id, sql`request_id = ${p.request_id}`),
      sql`timestamp >= ifNull(${p.start_time}, ${now} - INTERVAL 1 DAY)`,
      whenGiven(p.end_time, sql`timestamp <= ${p.end_time}`),
    )}
    ORDER BY timestamp DESC, request_id`,
});
