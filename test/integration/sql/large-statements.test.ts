import { CACHED_TABLES, CACHING_KEYS } from '../../support/cached-tables.js';
import { demoDatabase } from '../../support/demo-database.js';
import { pollUntil } from '../../support/poll-until.js';
import { RewritingProxy } from '../../support/rewriting-proxy.js';
import { sharedSqlGateway } from '../../support/sql-gateway.js';
import { newPrefix, sharedRedisUrl } from '../../support/test-redis.js';
import { watchRedisCommands } from '../../support/watch-redis-commands.js';

const prefix = newPrefix();
const variables = { REDIS_URL: sharedRedisUrl(), CACHE_KEY_PREFIX: prefix, CACHE_MAX_SHARED_KB: '64' };
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

test('a statement with a large result runs at all gateways at once, after one knows that', async () => {
  const asked = new Set<string>();
  const stop = watchRedisCommands((line) => {
    const [, source] = /^\S+ \[\d+ ([^\]]+)\]/.exec(line) ?? [];
    if (source !== undefined && source !== 'lua' && line.includes(`"${prefix}lock:`)) asked.add(source);
  });
  const holds = proxies.map((proxy) => proxy.holdNext(/_1 AS \(\n/));
  const sql = 'SELECT n FROM numbers_many(many = 20000) ORDER BY n';
  const results = gateways.map((opened) => opened().rows(sql, { key: 'qg_all' }));
  const first = await Promise.race(holds.map(({ isHeld }, at) => isHeld.then(() => at)));
  await pollUntil('the others wait', () => asked.size === gateways.length || undefined);
  stop();
  holds[first]?.release();
  await Promise.all(holds.map(({ isHeld }) => isHeld));
  for (const { release } of holds) release();
  const whole = Array.from({ length: 20_000 }, (_, n) => `${n}\n`).join('');
  for (const rows of await Promise.all(results)) expect(rows === whole).toBe(true);
});
