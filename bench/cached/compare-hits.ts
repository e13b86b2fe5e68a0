import { fileURLToPath } from 'node:url';

import type { EmbeddedServer } from '../../src/clickhouse/embedded/embedded-server.js';
import { print, printTable } from '../measuring/print.js';
import { loadServer } from '../measuring/throughput.js';
import { startNginx } from '../servers/nginx.js';
import { hasProgram } from '../servers/server-process.js';
import type { Stage } from '../stage.js';

/** The request that is a cache hit. */
export const TARGET = '/api/endpoints/query/functions.invocation-stats?project=aurora&interval=1day';

const BARE_SERVER = fileURLToPath(new URL('../servers/bare-server.js', import.meta.url));
const LIMIT = { limits: { requests: { quota: 1_000_000_000, window: 60 } } };
const HEADINGS = ['server', 'requests/s', 'of bare Node', 'p50', 'p99', 'failures'];

/** The same request to ClickHouse's own predefined handler. */
export const HANDLER_CONFIG = `<clickhouse><http_handlers>
  <rule><url>/bench</url><methods>GET</methods><handler>
    <type>predefined_query_handler</type>
    <query>SELECT toStartOfHour(timestamp) AS hour, min(execution_time_ms), max(execution_time_ms),
      avg(execution_time_ms), quantileTDigest(0.95)(execution_time_ms), quantileTDigest(0.99)(execution_time_ms), count(),
      countIf(status_code &gt;= 400) FROM logs.function_relay_logs WHERE project = 'aurora'
      AND timestamp &gt;= toStartOfHour(now() - INTERVAL 1 DAY) GROUP BY hour ORDER BY hour FORMAT JSON</query>
  </handler></rule>
  <defaults/>
</http_handlers></clickhouse>`;

type Subject = readonly [name: string, url: string, headers: Readonly<Record<string, string>>];

/**
 * Sends the same load to the gateway, to bare servers that return the gateway's bytes, and to nginx and ClickHouse, which
 * return the same rows in ClickHouse's own JSON; one after the other. Prints the table.
 */
export async function compareHits(stage: Stage, clickhouse: EmbeddedServer, seconds: number): Promise<void> {
  // A limit that the load does not reach, so that the gateway counts hits as for any tenant.
  const { file, keys } = await stage.writeKeys({ limited: LIMIT });
  const key = { 'X-API-KEY': keys.limited };
  const start = (level: string) =>
    stage.startGateway(clickhouse.readerConnection, { API_KEYS_FILE: file, LOG_LEVEL: level });
  const gateway = await start('warn');
  const logging = await start('info');
  const body = await (await fetch(gateway.url + TARGET, { headers: key })).text();
  const encoded = Buffer.from(body).toString('base64');
  const node = await stage.startModule(BARE_SERVER, ['node', encoded]);
  const express = await stage.startModule(BARE_SERVER, ['express', encoded]);
  const { username, password, ...server } = clickhouse.adminConnection;
  const handler = `${server.url}/bench`;
  const credentials = { 'X-ClickHouse-User': username, 'X-ClickHouse-Key': password };
  const subjects: readonly Subject[] = [
    ['bare Node http', node.url + TARGET, {}],
    ['bare Express 5 route', express.url + TARGET, {}],
    ['gateway, hit', gateway.url + TARGET, key],
    ['gateway, hit, with access log', logging.url + TARGET, key],
    ...(await nginxCache(stage, handler, credentials)),
    // The query cache exists only in a full server, not in the embedded one.
    ['ClickHouse predefined_query_handler', handler, credentials],
  ];
  print(`body of ${Buffer.byteLength(body)} bytes`);
  const lines: (string | number)[][] = [];
  let bare: number | undefined;
  for (const [name, url, headers] of subjects) {
    const { requestsPerSecond, p50, p99, failures } = await loadServer(url, headers, seconds);
    bare ??= requestsPerSecond;
    const share = `${((100 * requestsPerSecond) / bare).toFixed(0)} %`;
    lines.push([name, requestsPerSecond.toFixed(0), share, `${p50} ms`, `${p99} ms`, failures]);
  }
  printTable(HEADINGS, lines);
  for (const server of [gateway, logging, node, express]) await server.stop();
}

/** nginx with a `proxy_cache` in front of one URL, with one worker process, as the gateway has. */
async function nginxCache(
  stage: Stage,
  origin: string,
  headers: Readonly<Record<string, string>>,
): Promise<readonly Subject[]> {
  if (!hasProgram('nginx')) {
    print('nginx is not installed, so the table omits it');
    return [];
  }
  const passed = Object.entries(headers).map(([name, value]) => `proxy_set_header ${name} "${value}";`);
  const { url } = await startNginx(
    stage,
    1,
    ({ port, folder }) => `
  proxy_cache_path ${folder}/cache keys_zone=responses:10m;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass ${origin};
      proxy_cache responses;
      proxy_cache_key response;
      proxy_cache_valid 200 1h;
      proxy_ignore_headers Cache-Control Expires Set-Cookie Vary;
      ${passed.join('\n      ')}
    }
  }`,
  );
  return [['nginx proxy_cache (one worker)', url, {}]];
}
