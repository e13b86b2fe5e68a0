import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { ClickHouseConnection } from '../../src/gateway/clickhouse/connection.js';
import { freePort } from '../../src/commands/embedded/free-port.js';
import { startNginx } from '../servers/nginx.js';
import { hasProgram, type ServerProcess } from '../servers/server-process.js';
import type { Stage } from '../stage.js';
import { settingsOf, type RecordedQuery } from './recorded-query.js';

/** A caching proxy in front of ClickHouse. */
export interface Peer {
  readonly name: string;
  readonly server: ServerProcess;
  /** Target of a GET that runs a query of the list that the peer was started with. */
  readonly targetOf: (query: RecordedQuery) => string;
}

/** Where the programs are that no package brings. */
export interface PeerPrograms {
  readonly chproxy: string | undefined;
  readonly trickster: string | undefined;
}

interface PeerOptions {
  readonly stage: Stage;
  readonly clickhouse: ClickHouseConnection;
  readonly queries: readonly RecordedQuery[];
}

/** Longest URL, with a query in it. */
const URL_KB = 32;

/** Starts the peers that run the gateway's own queries: nginx, Varnish and chproxy, each where it is installed. */
export async function startPeers(options: PeerOptions, { chproxy }: PeerPrograms): Promise<readonly Peer[]> {
  const peers: Peer[] = [];
  if (hasProgram('nginx')) peers.push(await startNginxCache(options));
  if (hasProgram('varnishd')) peers.push(await startVarnish(options));
  if (chproxy !== undefined) peers.push(await startChproxy(options, chproxy));
  return peers;
}

/** What `startPeers` and Trickster leave out on this machine, for the reader of the tables. */
export function missingPeers({ chproxy, trickster }: PeerPrograms): readonly string[] {
  return [
    ...(hasProgram('nginx') ? [] : ['nginx']),
    ...(hasProgram('varnishd') ? [] : ['Varnish']),
    ...(chproxy === undefined ? ['chproxy (BENCH_CHPROXY)'] : []),
    ...(trickster === undefined ? ['Trickster (BENCH_TRICKSTER)'] : []),
  ];
}

/** A query as a GET to ClickHouse itself, which nginx and Varnish pass on; a POST would not be cached. */
export function getTarget(query: RecordedQuery): string {
  const parameters = settingsOf(query);
  // A GET is read-only, and may not say so again.
  parameters.delete('readonly');
  parameters.set('query', query.body);
  return `/?${parameters.toString().replaceAll('+', '%20')}`;
}

async function startNginxCache({ stage, clickhouse }: PeerOptions): Promise<Peer> {
  const server = await startNginx(
    stage,
    1,
    ({ port, folder }) => `
  access_log ${folder}/access.log combined buffer=64k;
  large_client_header_buffers 8 ${URL_KB}k;
  # The cache key, which is the URL, and the headers of a response share a buffer.
  proxy_buffer_size ${URL_KB}k;
  proxy_buffers 8 ${URL_KB}k;
  proxy_busy_buffers_size ${2 * URL_KB}k;
  proxy_cache_path ${folder}/cache keys_zone=responses:10m;
  upstream clickhouse { server ${new URL(clickhouse.url).host}; keepalive 16; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://clickhouse;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header X-ClickHouse-User "${clickhouse.username}";
      proxy_set_header X-ClickHouse-Key "${clickhouse.password}";
      proxy_cache responses;
      proxy_cache_valid 200 900s;
      proxy_ignore_headers Cache-Control Expires Set-Cookie Vary;
      add_header X-Cache $upstream_cache_status;
    }
  }`,
  );
  return { name: 'nginx `proxy_cache` (one worker)', server, targetOf: getTarget };
}

async function startVarnish({ stage, clickhouse }: PeerOptions): Promise<Peer> {
  const folder = await folderOf(stage, 'varnish');
  const file = path.join(folder, 'cache.vcl');
  const { hostname, port: backendPort } = new URL(clickhouse.url);
  await writeFile(
    file,
    `vcl 4.1;
backend clickhouse { .host = "${hostname}"; .port = "${backendPort}"; }
sub vcl_recv {
  set req.http.X-ClickHouse-User = "${clickhouse.username}";
  set req.http.X-ClickHouse-Key = "${clickhouse.password}";
  return (hash);
}
sub vcl_backend_response { set beresp.ttl = 900s; unset beresp.http.Vary; return (deliver); }
sub vcl_deliver { if (obj.hits > 0) { set resp.http.X-Cache = "HIT"; } }
`,
  );
  const port = await freePort();
  const sizes = [`http_req_size=${2 * URL_KB}k`, `http_req_hdr_len=${URL_KB}k`, 'workspace_client=256k'];
  const server = await stage.start({
    command: 'varnishd',
    args: [
      ...['-F', '-f', file, '-n', path.join(folder, 'work'), '-a', `127.0.0.1:${port}`, '-s', 'malloc,256m'],
      ...[...sizes, 'workspace_backend=256k', 'http_req_hdr_len=32k'].flatMap((size) => ['-p', size]),
    ],
    port,
    exitSignal: 'SIGTERM',
    isQuiet: true,
  });
  return { name: 'Varnish', server, targetOf: getTarget };
}

/** Its settings belong to its users, so that each query has a user. */
async function startChproxy({ stage, clickhouse, queries }: PeerOptions, program: string): Promise<Peer> {
  const folder = await folderOf(stage, 'chproxy');
  const port = await freePort();
  const users = queries.map((_, index) => `web${index}`);
  const configuration = {
    server: { http: { listen_addr: `127.0.0.1:${port}`, allowed_networks: ['127.0.0.0/8'] } },
    log_debug: false,
    caches: [
      {
        name: 'files',
        mode: 'file_system',
        file_system: { dir: `${folder}/cache`, max_size: '1Gb' },
        expire: '900s',
      },
    ],
    param_groups: queries.map((query, index) => ({
      name: users[index],
      params: [...settingsOf(query)]
        .filter(([name]) => !/^(?:param_.*|query|database|log_comment)$/.test(name))
        .map(([key, value]) => ({ key, value })),
    })),
    users: users.map((name) => ({
      ...{ name, password: 'webpass', to_cluster: 'c', to_user: clickhouse.username },
      ...{ cache: 'files', params: name, max_concurrent_queries: 100 },
    })),
    clusters: [
      {
        name: 'c',
        nodes: [new URL(clickhouse.url).host],
        heartbeat: { interval: '60s' },
        users: [{ name: clickhouse.username, password: clickhouse.password }],
      },
    ],
  };
  const file = path.join(folder, 'chproxy.yml');
  // JSON is YAML.
  await writeFile(file, JSON.stringify(configuration), { mode: 0o600 });
  const server = await stage.start({ command: program, args: ['-config', file], port, isQuiet: true });
  const targetOf = (query: RecordedQuery): string => {
    const user = users[queries.findIndex((each) => sameSettings(each, query))] ?? '';
    const bound = [...settingsOf(query)].filter(([name]) => name.startsWith('param_') || name === 'database');
    const credentials: [string, string][] = [
      ['user', user],
      ['password', 'webpass'],
      ['query', query.body],
    ];
    return `/?${new URLSearchParams(Object.fromEntries([...credentials, ...bound])).toString()}`;
  };
  return { name: 'chproxy (its files)', server, targetOf };
}

/** Whether two queries are one with other values. */
const sameSettings = (a: RecordedQuery, b: RecordedQuery): boolean =>
  settingsOf(a).get('log_comment') === settingsOf(b).get('log_comment');

/**
 * Starts Trickster. Its delta cache takes queries of a form of its own only.
 *
 * @returns a peer whose target is a query's text.
 */
export async function startTrickster(
  { stage, clickhouse }: Pick<PeerOptions, 'stage' | 'clickhouse'>,
  program: string,
): Promise<ServerProcess> {
  const folder = await folderOf(stage, 'trickster');
  const port = await freePort();
  const everything = {
    path: '/',
    match_type: 'prefix',
    handler: 'query',
    methods: ['GET', 'POST'],
    cache_key_params: ['query', 'database'],
    request_headers: { 'X-ClickHouse-User': clickhouse.username, 'X-ClickHouse-Key': clickhouse.password },
  };
  const configuration = {
    listeners: { default: { protocol: 'http', address: '127.0.0.1', port } },
    backends: { default: { provider: 'clickhouse', origin_url: clickhouse.url, paths: [everything] } },
    logging: { log_level: 'warn' },
  };
  const file = path.join(folder, 'trickster.yml');
  await writeFile(file, JSON.stringify(configuration), { mode: 0o600 });
  return stage.start({ command: program, args: ['-config', file], port, isQuiet: true });
}

async function folderOf(stage: Stage, name: string): Promise<string> {
  const folder = await mkdtemp(path.join(stage.folder, `${name}-`));
  // Varnish's processes do not run as root.
  for (const each of [stage.folder, folder]) await chmod(each, 0o755);
  return folder;
}
