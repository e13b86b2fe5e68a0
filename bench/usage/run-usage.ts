import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { prepareDatabase } from '../../src/commands/demo-data/prepare-database.js';
import type { RecordedCall } from '../../src/commands/replay/recorded-calls.js';
import type { QueryClient } from '../../src/gateway/clickhouse/connect-clickhouse.js';
import { Random } from '../../test/support/random.js';
import { formatCount, printMachine, printTable } from '../measuring/print.js';
import { REFERENCE, referenceEndpoints } from '../reference-project.js';
import { callsOfClient } from '../replay/seeded-client.js';
import { startRedis } from '../servers/redis.js';
import { hasProgram } from '../servers/server-process.js';
import type { Stage } from '../stage.js';

const SECONDS = 60;
const SEED = 37;
const CALLS_PER_ENDPOINT = 40;
/** Clients of each key that send one request after the other. */
const CLIENTS = { one: 1, two: 3, three: 8 } as const;
/** Seconds for which results are cached, of every endpoint that caches: shorter than it is deployed, so that clients wait for many queries. */
const CACHING = 1;
/** One request in so many refuses cached results. */
const REFRESH = 10;
/** Calls of which all clients send most of their requests, so that they wait for the same queries. */
const OFTEN = 4;

type Key = keyof typeof CLIENTS;
const KEYS = Object.keys(CLIENTS) as readonly Key[];
const FIGURES = ['rows', 'bytes', 'ms'] as const;
type Figures = Readonly<Record<(typeof FIGURES)[number], number>>;

/** A response whose caller waited for a query. */
interface Waited {
  readonly key: Key;
  readonly target: string;
  readonly requestId: string;
  /** Whether another request's query was waited for. */
  readonly isShared: boolean;
  readonly endedAt: number;
}

/** Compares what the gateway charges its keys with what ClickHouse noted of its queries. Prints a table. */
export async function runUsage(stage: Stage): Promise<void> {
  const clickhouse = await stage.startClickHouse({ dataDir: path.join(stage.folder, 'usage') });
  const now = new Date();
  await prepareDatabase(clickhouse.adminConnection, {
    schemaFolder: REFERENCE.schemaFolder,
    demo: { folder: REFERENCE.demoFolder, upTo: now },
  });
  const admin = stage.connect(clickhouse.adminConnection);
  const calls = await callsOfClient(admin, { now, perEndpoint: CALLS_PER_ENDPOINT, seed: SEED });
  const redis = hasProgram('redis-server') ? await startRedis(stage) : undefined;
  const { file, keys } = await stage.writeKeys({ one: {}, two: {}, three: {} });
  const { username, password } = clickhouse.adminConnection;
  const settings = path.join(stage.folder, 'settings.json');
  const cached = (await referenceEndpoints())
    .all()
    .filter(({ settings: { caching } }) => caching !== 'disabled');
  const overrides = Object.fromEntries(cached.map(({ name }) => [name, { caching: CACHING, warming: 0 }]));
  await writeFile(settings, JSON.stringify(overrides));
  const gateway = await stage.startGateway(clickhouse.readerConnection, {
    ...{ API_KEYS_FILE: file, CLICKHOUSE_LOG_USER: username, CLICKHOUSE_LOG_PASSWORD: password },
    ENDPOINT_SETTINGS_FILE: settings,
    ...(redis !== undefined && { REDIS_URL: redis }),
  });
  const waited = await load(gateway.url, keys, calls);
  // What it has noted of requests, the gateway writes before it ends.
  await gateway.stop();
  await admin.command({ query: 'SYSTEM FLUSH LOGS' });
  const charged = await chargedTo(admin);
  const noted = await notedOf(admin, clickhouse.readerConnection.username);
  const expected = expectedOf(noted, waited);
  printMachine(
    `${SECONDS} s of ${Object.values(CLIENTS).reduce((sum, one) => sum + one, 0)} clients, ${calls.length} distinct calls; ${formatCount(noted.size)} queries, for which ${formatCount(waited.length)} requests waited; ${redis === undefined ? 'without Redis' : 'with Redis'}`,
  );
  const sumOf = (all: ReadonlyMap<string, Figures>, figure: keyof Figures): number =>
    [...all.values()].reduce((sum, one) => sum + one[figure], 0);
  printTable(
    ['figure', 'charged', 'system.query_log', 'ratio', ...KEYS.map((key) => `share of ${key} (expected)`)],
    FIGURES.map((figure) => {
      const [ofGateway, ofClickHouse] = [sumOf(charged, figure), sumOf(noted, figure)];
      const share = (all: ReadonlyMap<string, Figures>, key: Key): string =>
        `${((100 * (all.get(key)?.[figure] ?? 0)) / KEYS.reduce((sum, one) => sum + (all.get(one)?.[figure] ?? 0), 0)).toFixed(2)} %`;
      return [
        figure,
        formatCount(Math.round(ofGateway)),
        formatCount(Math.round(ofClickHouse)),
        (ofGateway / ofClickHouse).toFixed(4),
        ...KEYS.map((key) => `${share(charged, key)} (${share(expected, key)})`),
      ];
    }),
  );
  await clickhouse.stop();
}

async function load(
  url: string,
  keys: Readonly<Record<Key, string>>,
  calls: readonly RecordedCall[],
): Promise<readonly Waited[]> {
  const random = new Random(SEED);
  const waited: Waited[] = [];
  const until = performance.now() + SECONDS * 1000;
  const targets = calls
    .filter(({ pins }) => pins === '')
    .map(({ endpoint, parameters }) => {
      const pairs = JSON.parse(parameters) as readonly [string, string][];
      return `${endpoint}?${new URLSearchParams(pairs).toString()}`;
    });
  const client = async (key: Key): Promise<void> => {
    while (performance.now() < until) {
      const target = targets[random.below(random.below(4) === 0 ? targets.length : OFTEN)] ?? '';
      const response = await fetch(`${url}/api/endpoints/query/${target}`, {
        headers: {
          'X-API-KEY': keys[key],
          ...(random.below(REFRESH) === 0 && { 'Cache-Control': 'no-cache' }),
        },
      });
      await response.arrayBuffer();
      const status = response.headers.get('cache-status') ?? '';
      if (!status.includes('fwd=')) continue;
      waited.push({
        ...{ key, target, requestId: response.headers.get('x-request-id') ?? '' },
        ...{ isShared: status.includes('collapsed'), endedAt: performance.now() },
      });
    }
  };
  await Promise.all(KEYS.flatMap((key) => Array.from({ length: CLIENTS[key] }, () => client(key))));
  // Results that are refreshed in the background belong to no request.
  await delay(1000);
  return waited;
}

/** What the daily sums of the gateway say, by key; that of its own work has no name. */
async function chargedTo(admin: QueryClient): Promise<ReadonlyMap<string, Figures>> {
  const found = await admin.query({
    query:
      'SELECT key_name, sum(rows_read) AS rows, sum(bytes_read) AS bytes, sum(clickhouse_ms) AS ms FROM querygate_usage GROUP BY key_name',
    format: 'JSONEachRow',
    clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
  });
  const rows = await found.json<Figures & { readonly key_name: string }>();
  return new Map(rows.map(({ key_name, ...figures }) => [key_name, figures]));
}

/** What ClickHouse noted of the gateway's queries, by the id of the query. */
async function notedOf(admin: QueryClient, user: string): Promise<ReadonlyMap<string, Figures>> {
  const found = await admin.query({
    query:
      "SELECT query_id, read_rows AS rows, read_bytes AS bytes, query_duration_ms AS ms FROM system.query_log WHERE type = 'QueryFinish' AND is_initial_query AND user = {user:String}",
    query_params: { user },
    format: 'JSONEachRow',
    clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
  });
  const rows = await found.json<Figures & { readonly query_id: string }>();
  return new Map(rows.map(({ query_id, ...figures }) => [query_id, figures]));
}

/** What each key should pay: the cost of each query, divided by the requests that waited for it as a client sees them. */
function expectedOf(
  noted: ReadonlyMap<string, Figures>,
  waited: readonly Waited[],
): ReadonlyMap<string, Figures> {
  const expected = new Map<string, Record<keyof Figures, number>>();
  const own = waited.filter(({ isShared }) => !isShared);
  for (const one of own) {
    const followers = waited.filter(
      (other) => other.isShared && other.target === one.target && leaderOf(other, own) === one,
    );
    const cost = [...noted].find(([id]) => id.includes(one.requestId))?.[1];
    if (!cost) continue;
    for (const { key } of [one, ...followers]) {
      const sum = expected.get(key) ?? { rows: 0, bytes: 0, ms: 0 };
      expected.set(key, sum);
      for (const figure of FIGURES) sum[figure] += cost[figure] / (1 + followers.length);
    }
  }
  return expected;
}

/** The request whose query another one waited for: that for the same call whose response ended next to it. */
function leaderOf({ target, endedAt }: Waited, own: readonly Waited[]): Waited | undefined {
  const distance = (one: Waited): number => Math.abs(one.endedAt - endedAt);
  return own
    .filter((one) => one.target === target)
    .reduce<Waited | undefined>(
      (best, one) => (!best || distance(one) < distance(best) ? one : best),
      undefined,
    );
}
