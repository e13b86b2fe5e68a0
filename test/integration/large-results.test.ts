import { Redis } from 'ioredis';

import { CACHED_TABLES, CACHING_KEYS } from '../support/cached-tables.js';
import { demoDatabase } from '../support/demo-database.js';
import { RewritingProxy } from '../support/rewriting-proxy.js';
import { sharedSqlGateway, type SqlGateway } from '../support/sql-gateway.js';
import { newPrefix, sharedRedisUrl } from '../support/test-redis.js';

const prefix = newPrefix();
const variables = {
  ...{ REDIS_URL: sharedRedisUrl(), CACHE_KEY_PREFIX: prefix },
  CACHE_MAX_SHARED_KB: '4',
};
const proxies: RewritingProxy[] = [];
const project = {
  endpoints: CACHED_TABLES,
  keys: CACHING_KEYS,
  connect: async () => {
    const { connection } = await demoDatabase();
    const proxy = await RewritingProxy.start(connection.url, (sql) => sql);
    proxies.push(proxy);
    return { ...connection, url: proxy.url };
  },
};
const gateways = [1, 2, 3].map(() => sharedSqlGateway(variables, project));
afterAll(() => Promise.all(proxies.map((proxy) => proxy.close())));

const CALL = '/api/endpoints/query/numbers.many?many=20000';
const STATEMENT = 'SELECT n FROM numbers_many(many = 20000) ORDER BY n';
const EXECUTION = /^(?!\s*(EXPLAIN|DESCRIBE))[^]*numbers\(100000\)/;

/** Becomes true once each gateway has asked for the lock of a query. */
function untilAllAsked(monitor: Redis): Promise<void> {
  const sources = new Set<string>();
  return new Promise((resolve) => {
    monitor.on('monitor', (_time: string, args: readonly string[], source: string) => {
      if (args.some((arg) => arg.startsWith(`${prefix}lock:`)) && source !== 'lua') sources.add(source);
      if (sources.size === gateways.length) resolve();
    });
  });
}

test.each<[string, (gateway: SqlGateway) => Promise<string>]>([
  ['statement', ({ rows }) => rows(STATEMENT, { key: 'qg_all' })],
  [
    'call',
    ({ gateway }) =>
      fetch(gateway.url + CALL, { headers: { 'X-API-KEY': 'qg_all' } }).then((response) => response.text()),
  ],
])('a %s with a large result runs at all gateways at once, after one knows that', async (_what, send) => {
  const redis = new Redis(sharedRedisUrl());
  const monitor = await redis.monitor();
  const allAsked = untilAllAsked(monitor);
  const holds = proxies.map((proxy) => proxy.holdNext(EXECUTION));
  const results = gateways.map((opened) => send(opened()));
  const first = await Promise.race(holds.map(({ isHeld }, at) => isHeld.then(() => at)));
  await allAsked;
  holds[first]?.release();
  await Promise.all(holds.map(({ isHeld }) => isHeld));
  for (const { release } of holds) release();
  const [whole = '', ...others] = await Promise.all(results);
  expect(whole).toMatch(/\b999\b/);
  for (const rows of others) expect(rows === whole).toBe(true);
  for (const each of [monitor, redis]) each.disconnect();
});
