import type { ClickHouseClient } from '@clickhouse/client';

import { Progress } from '../../src/commands/cli/progress.js';

/** How to fill a table. */
export interface Filling {
  readonly table: string;
  /** Parameters: `{offset:UInt64}`, `{count:UInt64}` and `{total:UInt64}` of rows; newest time `{end:DateTime64(6, 'UTC')}`. */
  readonly insert: string;
}

/** Rows of one INSERT: as many as easily fit into ClickHouse's memory. */
const BATCH = 5_000_000;

/** Time of row `number` of `total`: increasing, up to five seconds early or late, as logs arrive. */
const timestampOver = (days: number): string => `
  {end:DateTime64(6, 'UTC')} - INTERVAL ${days} DAY
    + toIntervalMicrosecond(toInt64(number / {total:UInt64} * ${days} * 86400000000))
    - toIntervalMicrosecond(cityHash64(number, 'late') % 5000000)`;

/** Selects one of the values, the first one most often. */
const skewed = (seed: string, values: number, exponent: number): string =>
  `toUInt32(floor(${values} * pow((cityHash64(number, '${seed}') % 1000000) / 1000000, ${exponent})))`;

/** 201 projects: the largest has a tenth of all rows, the last one a thousandth, the others more. */
const PROJECT_NUMBER = `if(cityHash64(number, 'small') % 1000 = 0, 200, ${skewed('project', 200, 2.2)})`;
const PROJECT = `arrayStringConcat(arrayMap(i -> char(97 + cityHash64(toUInt32(${PROJECT_NUMBER}), i) % 26), range(20)))`;

const pick = (seed: string, ...values: readonly string[]): string =>
  `[${values.map((value) => `'${value}'`).join(', ')}][1 + cityHash64(number, '${seed}') % ${values.length}]`;

const EDGE_LOGS = `
  INSERT INTO edge_logs (project, timestamp, event_message, metadata, method, url, path, status_code)
  WITH
    ${PROJECT} AS project,
    cityHash64(number, 'route') % 100 AS route,
    ${pick('table', 'orders', 'customers', 'products', 'invoices', 'profiles', 'messages', 'events', 'sessions')} AS resource,
    lower(hex(sipHash128(number))) AS digits,
    multiIf(
      route < 35, concat('/rest/v1/', resource, '?select=*&id=eq.', toString(cityHash64(number, 'id') % 1000000)),
      route < 50, concat('/rest/v1/', resource, '?select=id%2Cname%2Cstatus&order=created_at.desc&limit=20&offset=',
        toString(20 * (cityHash64(number, 'offset') % 50))),
      route < 58, concat('/rest/v1/', resource),
      route < 63, concat('/rest/v1/rpc/', ${pick('rpc', 'search', 'stats', 'checkout')}),
      route < 70, concat('/auth/v1/token?grant_type=', ${pick('grant', 'password', 'refresh_token')}),
      route < 76, '/auth/v1/user',
      route < 84, concat('/storage/v1/object/public/images/', substring(digits, 1, 8), '-', substring(digits, 9, 4), '-',
        substring(digits, 13, 4), '-', substring(digits, 17, 4), '-', substring(digits, 21, 12), '.jpg'),
      route < 87, concat('/storage/v1/object/list/', ${pick('bucket', 'images', 'avatars', 'exports')}),
      route < 94, '/realtime/v1/websocket?vsn=1.0.0',
      concat('/functions/v1/', ${pick('function', 'hello-world', 'checkout', 'resize', 'webhook')})) AS target,
    ${pick('method', 'GET', 'GET', 'GET', 'POST', 'PATCH')} AS method,
    concat('https://', project, '.example.co', target) AS url,
    toUInt16(${pick('status', '200', '200', '200', '200', '201', '204', '304', '401', '404', '500')}) AS status_code,
    concat('198.51.', toString(cityHash64(number, 'a') % 256), '.', toString(cityHash64(number, 'b') % 256)) AS address
  SELECT
    project, ${timestampOver(8)},
    concat(method, ' | ', toString(status_code), ' | ', address, ' | ', url, ' | Mozilla/5.0'),
    concat('{"request":{"method":"', method, '","url":"', url, '","path":"', cutQueryString(target),
      '","headers":{"user_agent":"Mozilla/5.0 (X11; Linux x86_64)","cf_connecting_ip":"', address,
      '","x_client_info":"client-js/2.45.', toString(number % 9), '"}},"response":{"status_code":', toString(status_code),
      ',"origin_time":', toString(cityHash64(number, 'origin') % 900), '}}'),
    method, url, cutQueryString(target), status_code
  FROM numbers_mt({offset:UInt64}, {count:UInt64})`;

const FUNCTION_RELAY_LOGS = `
  INSERT INTO function_relay_logs
    (project, timestamp, event_message, metadata, function_id, method, url, status_code, execution_time_ms)
  WITH
    ${PROJECT} AS project,
    concat('fn-', toString(${skewed('function', 12, 1.5)})) AS function,
    concat('https://', project, '.example.co/functions/v1/', function) AS url,
    round(exp(3 + 1.2 * sqrt(-2 * log((1 + cityHash64(number, 'a') % 999999) / 1000000))
      * cos(2 * pi() * (cityHash64(number, 'b') % 1000000) / 1000000)), 1) AS duration,
    if(cityHash64(number, 'status') % 50 = 0, 500, 200) AS status
  SELECT
    project, ${timestampOver(8)},
    concat('POST | ', toString(status), ' | ', url),
    concat('{"function_id":"', function, '","execution_time_ms":', toString(duration), ',"request":{"method":"POST","url":"',
      url, '"},"response":{"status_code":', toString(status), '},"deployment_id":"', project, '_', function, '_',
      toString(cityHash64(function) % 40), '","region":"eu-central-1","version":"', toString(number % 7), '"}'),
    function, 'POST', url, status, duration
  FROM numbers_mt({offset:UInt64}, {count:UInt64})`;

const CUSTOM_EVENTS = `
  INSERT INTO custom_events
    (timestamp, event_message, metadata, level, user_id, event_type, event_id, event_name, referrer, city, country, device,
     language, utm_params)
  WITH
    ${skewed('event', 1000, 3)} AS event,
    ${skewed('place', 40, 2)} AS place,
    ${skewed('source', 6, 3)} AS source,
    cityHash64(number, 'type') % 100 AS type,
    ['US', 'DE', 'GB', 'FR', 'IN', 'BR', 'JP', 'CA'][1 + place % 8] AS country
  SELECT
    ${timestampOver(30)},
    concat('visitor event on page ', toString(event)),
    concat('{"page":{"id":', toString(event), ',"host":"www.example.co"},"client":{"ip":"198.51.',
      toString(cityHash64(number, 'a') % 256), '.', toString(cityHash64(number, 'b') % 256), '"}}'),
    'info', concat('user-', toString(cityHash64(number, 'user') % 200000)),
    multiIf(type < 60, 'view', type < 75, 'unique_view', type < 90, 'click', type < 94, 'unique_click', 'url_redirect'),
    concat('ev-', leftPad(toString(event), 4, '0')), concat('/page/', toString(event)),
    [NULL, 'https://search.example/', 'https://news.example/', 'https://mail.example/', 'https://social.example/',
     'https://partner.example/'][1 + source],
    concat('City ', toString(place)), country, ${pick('device', 'mobile', 'mobile', 'desktop', 'tablet')}, lower(country),
    if(source >= 4, concat('{"utm_source":"', ['social', 'partner'][source - 3], '","utm_campaign":"', toString(event % 5), '"}'), NULL)
  FROM numbers_mt({offset:UInt64}, {count:UInt64})`;

/** The tables that the endpoints read: logs of 8 days, events of 30. */
export const FILLINGS: readonly Filling[] = [
  { table: 'edge_logs', insert: EDGE_LOGS },
  { table: 'function_relay_logs', insert: FUNCTION_RELAY_LOGS },
  { table: 'custom_events', insert: CUSTOM_EVENTS },
];

/** Fills a table inside ClickHouse. The rows are the same each time except for their ids and the newest time. */
export async function fillTable(
  client: ClickHouseClient,
  { table, insert }: Filling,
  total: number,
  end: Date,
): Promise<void> {
  const progress = new Progress({ phase: `filling ${table}`, done: 0, total });
  try {
    for (let offset = 0; offset < total; offset += BATCH) {
      progress.update({ done: offset });
      await client.command({
        query: `${insert}\n  SETTINGS max_insert_threads = 2, max_execution_time = 0`,
        query_params: { offset, count: Math.min(BATCH, total - offset), total, end },
      });
    }
  } finally {
    progress.end();
  }
}
