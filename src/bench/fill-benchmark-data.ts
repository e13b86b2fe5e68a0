import type { ClickHouseClient } from '@clickhouse/client';

/** How much the benchmark measures on. */
export interface BenchmarkSize {
  readonly edgeLogs: number;
  readonly functionRelayLogs: number;
}

/** 200 projects, the first with a tenth of all rows, the smallest with a few ten-thousandths. */
const PROJECT = `
  concat('proj', leftPad(toString(toUInt16(floor(200 * pow((cityHash64(number, 'project') % 1000000) / 1000000, 2.2)))), 3, '0'),
    substring(lower(hex(sipHash64(toUInt16(floor(200 * pow((cityHash64(number, 'project') % 1000000) / 1000000, 2.2)))))), 1, 12))`;

/** Evenly over the 8 days up to now. */
const TIMESTAMP = `
  {now:DateTime64(6, 'UTC')} - toIntervalMicrosecond(cityHash64(number, 'time') % (8 * 86400 * 1000000))`;

const METADATA = `
  concat(
    '{"request":{"method":"', method, '","url":"', url, '","path":"', path(url),
    '","headers":{"user_agent":"Mozilla/5.0 (X11; Linux x86_64)","cf_connecting_ip":"198.51.', toString(number % 256),
    '.', toString(intDiv(number, 256) % 256), '","x_client_info":"supabase-js/2.45.', toString(number % 9),
    '"}},"response":{"status_code":', toString(status_code), ',"origin_time":',
    toString(cityHash64(number, 'origin') % 900), '}}')`;

const EDGE_LOGS = `
  INSERT INTO edge_logs (project, timestamp, event_message, metadata, method, url, path, status_code)
  WITH
    ${PROJECT} AS project,
    ['GET', 'GET', 'GET', 'POST', 'PATCH'][1 + cityHash64(number, 'method') % 5] AS method,
    ['/rest/v1/orders', '/rest/v1/customers', '/rest/v1/products', '/auth/v1/token', '/auth/v1/user',
     '/storage/v1/object/public/images', '/realtime/v1/websocket', '/functions/v1/checkout'][1 + cityHash64(number, 'route') % 8] AS route,
    concat('https://', project, '.example.co', route, '?id=eq.', toString(cityHash64(number, 'id') % 100000)) AS url,
    toUInt16([200, 200, 200, 200, 201, 204, 304, 401, 404, 500][1 + cityHash64(number, 'status') % 10]) AS status_code
  SELECT
    project, ${TIMESTAMP},
    concat(method, ' | ', toString(status_code), ' | 198.51.100.', toString(number % 256), ' | ', url, ' | Mozilla/5.0'),
    ${METADATA}, method, url, path(url), status_code
  FROM numbers_mt({rows:UInt64})
  SETTINGS max_insert_threads = 2, max_execution_time = 0`;

const FUNCTION_RELAY_LOGS = `
  INSERT INTO function_relay_logs
    (project, timestamp, event_message, metadata, function_id, method, url, status_code, execution_time_ms)
  WITH
    ${PROJECT} AS project,
    concat('fn-', toString(cityHash64(number, 'function') % 12)) AS function,
    exp(3 + 1.2 * sqrt(-2 * log((1 + cityHash64(number, 'a') % 999999) / 1000000))
      * cos(2 * pi() * (cityHash64(number, 'b') % 1000000) / 1000000)) AS duration,
    if(cityHash64(number, 'status') % 50 = 0, 500, 200) AS status
  SELECT
    project, ${TIMESTAMP},
    concat('POST | ', toString(status), ' | https://', project, '.example.co/functions/v1/', function),
    concat('{"function_id":"', function, '","execution_time_ms":', toString(round(duration)), '}'),
    function, 'POST', concat('https://', project, '.example.co/functions/v1/', function), status, round(duration)
  FROM numbers_mt({rows:UInt64})
  SETTINGS max_insert_threads = 2, max_execution_time = 0`;

const CUSTOM_EVENTS = `
  INSERT INTO custom_events
    (timestamp, event_message, event_type, event_id, event_name, country, device, language, referrer, utm_params)
  WITH cityHash64(number, 'event') % 300 AS event
  SELECT
    ${TIMESTAMP}, concat('event ', toString(event)),
    ['view', 'view', 'unique_view', 'click', 'unique_click', 'url_redirect'][1 + cityHash64(number, 'type') % 6],
    concat('ev-', toString(event)), concat('/page/', toString(event)),
    ['DE', 'FR', 'US', 'GB', 'IN', NULL][1 + cityHash64(number, 'country') % 6],
    ['desktop', 'mobile', 'tablet'][1 + cityHash64(number, 'device') % 3],
    ['de', 'fr', 'en'][1 + cityHash64(number, 'language') % 3],
    ['https://news.example/', NULL][1 + cityHash64(number, 'referrer') % 2],
    if(number % 3 = 0, '{"utm_source":"newsletter"}', NULL)
  FROM numbers_mt({rows:UInt64})
  SETTINGS max_insert_threads = 2, max_execution_time = 0`;

/** Fills the tables that the endpoints read, inside ClickHouse, deterministically but for the time. */
export async function fillBenchmarkData(
  client: ClickHouseClient,
  size: BenchmarkSize,
  now: string,
): Promise<void> {
  const statements: readonly (readonly [query: string, rows: number])[] = [
    [EDGE_LOGS, size.edgeLogs],
    [FUNCTION_RELAY_LOGS, size.functionRelayLogs],
    [CUSTOM_EVENTS, Math.round(size.edgeLogs / 10)],
  ];
  for (const [query, rows] of statements) {
    await client.command({ query, query_params: { now, rows } });
  }
}
