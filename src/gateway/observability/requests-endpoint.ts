import { column, defineEndpoint, sql, text, timestamp, whenGiven, where } from '../../endpoint/index.js';

const equals = (what: string): { description: string } => ({
  description: `Only requests with this ${what}.`,
});

/** The gateway’s own endpoint of each request. */
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
  columns: {
    timestamp: column("DateTime64(6, 'UTC')", 'End of the response.'),
    request_id: column('String', 'As in X-Request-Id.'),
    query_id: column(
      'String',
      'Query that the request caused, as in system.query_log; empty where it caused none.',
    ),
    endpoint: column('LowCardinality(String)', 'Name of the endpoint.'),
    definition: column('LowCardinality(String)', 'Digest of the endpoint’s definition.'),
    parameters: column('String', 'Digest of the parameters; equal requests have equal digests.'),
    key_name: column('LowCardinality(String)', 'Name of the key.'),
    status: column('UInt16', 'HTTP status; 499 where the client disconnected.'),
    code: column(
      'LowCardinality(String)',
      'Error code; SHARD_UNREACHABLE with status 200 for a partial result; empty for a complete one.',
    ),
    cache: column('LowCardinality(String)', 'HIT, MISS, PARTIAL, STALE or BYPASS.'),
    row_count: column('UInt32', 'Rows of the response.'),
    rows_read: column('UInt64', 'Rows that the query read.'),
    bytes_read: column('UInt64', 'Bytes that the query read.'),
    total_ms: column('Float64', 'Milliseconds from the headers of the request to the end of the response.'),
    waiting_ms: column('Float64', 'Milliseconds of these in the query queue.'),
    clickhouse_ms: column('Float64', 'Milliseconds of these in ClickHouse.'),
    bytes_sent: column('UInt64', 'Bytes of the response, with its headers.'),
    charged_rows: column('Float64', 'Rows that the query read, divided by the calls that waited for it.'),
    charged_bytes: column('Float64', 'Bytes that the query read, likewise.'),
    charged_ms: column('Float64', 'Milliseconds in ClickHouse, likewise.'),
    saved_rows: column('UInt64', 'Rows that kept pieces did not read again.'),
    saved_bytes: column('UInt64', 'Bytes that kept pieces did not read again.'),
  },
  maxRows: 1000,
  caching: 'disabled',
  warming: 0,
  sandboxing: 'disabled',
  example: { cache: 'MISS' },
  build: (p, now) => sql`
    SELECT
      timestamp, request_id, query_id, endpoint, definition, parameters, key_name, status, code, cache,
      row_count, rows_read, bytes_read, total_ms, waiting_ms, clickhouse_ms, bytes_sent,
      charged_rows, charged_bytes, charged_ms, saved_rows, saved_bytes
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
