import { request } from 'node:http';

import { CONFIRMED_TABLES, CONFIRMING_KEYS, READ_BY_KEYS } from '../../support/confirmed-tables.js';
import { openForAll } from '../../support/opened.js';
import { pollUntil } from '../../support/poll-until.js';
import { RewritingProxy } from '../../support/rewriting-proxy.js';
import { SettableClock } from '../../support/settable-clock.js';
import { sharedSqlGateway, type SqlOptions } from '../../support/sql-gateway.js';
import { newPrefix, sharedRedisUrl } from '../../support/test-redis.js';
import { VersionedServer } from '../../support/versioned-gateway.js';

const time = new SettableClock();
const queries: string[] = [];
const server = openForAll(() => VersionedServer.start());
/** Of the gateway that is opened last. */
let proxy: RewritingProxy;
const proxies: RewritingProxy[] = [];

const project = {
  endpoints: CONFIRMED_TABLES,
  keys: CONFIRMING_KEYS,
  clock: time.clock,
  readsVersions: true,
  connect: async () => {
    const { adminConnection } = server.server;
    proxy = await RewritingProxy.start(adminConnection.url, (sql) => {
      queries.push(sql);
      return sql;
    });
    proxies.push(proxy);
    return { ...adminConnection, url: proxy.url };
  },
};
beforeAll(async () => {
  await server.run('CREATE TABLE events (d Date, shop String) ENGINE = MergeTree PARTITION BY d ORDER BY ()');
  await server.run('CREATE TABLE others (id UInt64) ENGINE = MergeTree ORDER BY id');
  await server.run("CREATE VIEW low AS SELECT shop FROM events WHERE d < '2030-01-01'");
  await insert('harbour');
});
const variables = {
  ...{ ADMIN_PORT: '0', CACHE_MAX_SHARED_KB: '64' },
  REDIS_URL: sharedRedisUrl(),
  CACHE_KEY_PREFIX: newPrefix(),
};
const other = sharedSqlGateway(variables, project);
const opened = sharedSqlGateway(variables, project);

afterAll(() => Promise.all(proxies.map((each) => each.close())));

const insert = (shop: string, day = '2026-01-01'): Promise<void> =>
  server.run(`INSERT INTO events VALUES ('${day}', '${shop}')`);

const nextSecond = time.advance.bind(time, 1000);

interface Got {
  readonly rows: string;
  readonly cache: string | null;
  readonly age: string | null;
  /** Queries of statements that ClickHouse got meanwhile. */
  readonly runs: number;
}

async function get(sql: string, key = 'all', options: SqlOptions = {}, of = opened()): Promise<Got> {
  queries.length = 0;
  const response = await of.send(sql, { key: `qg_${key}`, ...options });
  const rows = (await response.text()).trim();
  const runs = queries.filter((text) => text.includes('_1 AS (\n')).length;
  return { rows, runs, cache: response.headers.get('x-cache'), age: response.headers.get('age') };
}

const postToAdmin = (path: string, body = {}): Promise<Response> =>
  fetch(`${opened().gateway.adminUrl ?? ''}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

let count = 0;
/** The same for no other test. */
const own = (sql: string): string => `${sql} WHERE ${(count += 1)} = ${count}`;

describe('a statement over endpoints that cache until their data changes', () => {
  test.each(READ_BY_KEYS)(
    'is confirmed without its query, until rows are inserted (%s, %s)',
    async (key, table) => {
      const sql = own(`SELECT n FROM ${table}`);
      const first = await get(sql, key);
      expect([first.cache, first.runs]).toEqual(['MISS', 1]);
      for (let second = 0; second < 3; second += 1) {
        nextSecond();
        expect(await get(sql, key)).toEqual({ rows: first.rows, cache: 'HIT', age: '0', runs: 0 });
      }
      await insert('harbour');
      nextSecond();
      const rows = String(Number(first.rows) + 1);
      expect(await get(sql, key)).toMatchObject({ rows, cache: 'MISS', runs: 1 });
      nextSecond();
      expect((await get(sql, key)).cache).toBe('HIT');
    },
  );

  test('has the rows of a key’s own pins, and knows that those of others changed', async () => {
    const sql = own('SELECT n FROM of_shop');
    const { rows } = await get(sql, 'harbour');
    await insert('bakery');
    nextSecond();
    expect(await get(sql, 'harbour')).toMatchObject({ rows, cache: 'MISS' });
    expect(Number((await get(sql)).rows)).toBeGreaterThan(Number(rows));
  });

  test('keeps nothing of a partition that comes and goes around its query', async () => {
    for (const [key, table] of READ_BY_KEYS) {
      const sql = own(`SELECT n FROM ${table}`);
      const { rows } = await get(own(`SELECT n FROM ${table}`), key);
      const { isHeld, release } = proxy.holdNext(/_1 AS \(\n/);
      const running = get(sql, key);
      await isHeld;
      await insert('harbour', '2027-01-01');
      const secondRead = proxy.holdNext(/FROM system\.parts WHERE active/);
      release();
      await Promise.race([running, secondRead.isHeld]);
      await server.run("ALTER TABLE events DROP PARTITION '2027-01-01'");
      secondRead.release();
      expect(await running).toMatchObject({ rows: String(Number(rows) + 1), runs: 2 });
      nextSecond();
      expect(await get(sql, key)).toMatchObject({ rows, cache: 'MISS' });
      nextSecond();
      await get(sql, key);
    }
  });

  test('with one that is cached for seconds is confirmed within these, and no longer', async () => {
    const sql = own('SELECT c.n + 1000 * s.n FROM counted AS c, seconds AS s');
    const { rows } = await get(sql);
    await server.run('INSERT INTO others VALUES (1)');
    for (let second = 1; second < 5; second += 1) {
      nextSecond();
      expect(await get(sql)).toEqual({ rows, cache: 'HIT', age: String(second), runs: 0 });
    }
    nextSecond();
    const later = await get(sql);
    expect(later).toMatchObject({ rows: String(Number(rows) + 1000), cache: 'MISS', runs: 1 });
    await insert('harbour');
    nextSecond();
    expect(await get(sql)).toMatchObject({ rows: String(Number(later.rows) + 1), cache: 'MISS' });
  });

  test('is confirmed by another gateway too', async () => {
    const sql = own('SELECT n FROM counted');
    const { rows } = await get(sql);
    nextSecond();
    for (let second = 0; second < 2; second += 1) {
      expect(await get(sql, 'all', {}, other())).toEqual({ rows, cache: 'HIT', age: '0', runs: 0 });
      nextSecond();
    }
  });

  test('is not cached where one of them is not', async () => {
    const sql = own('SELECT c.n, d.n FROM counted AS c, drawn AS d');
    expect((await get(sql)).rows).not.toBe((await get(sql)).rows);
    expect((await get(sql)).cache).toBeNull();
  });

  test.each([
    ['its client', 'counted', null, /^Code: 394/],
    ['an operator', 'strict', null, /An operator of the gateway cancelled/],
    ['an operator', 'counted', 'STALE', /^\d+$/],
  ])('that %s cancels is stale for an operator, if it may be (%s)', async (who, table, cache, rows) => {
    const sql = own(`SELECT n FROM ${table}`);
    const id = `cancelled-${count}`;
    await get(sql);
    await insert('harbour');
    nextSecond();
    const { isHeld, release } = proxy.holdNext(/_1 AS \(\n/);
    const running = get(sql, 'all', { search: { query_id: id }, headers: { 'X-Request-Id': id } });
    await isHeld;
    if (who === 'its client') await get(`KILL QUERY WHERE query_id = '${id}'`);
    else await postToAdmin(`/calls/${id}/cancel`);
    expect(await running).toMatchObject({ cache, rows: expect.stringMatching(rows) as string });
    release();
  });
});

describe('what is confirmed', () => {
  test('is dropped by a purge of any endpoint, here and at the other gateway', async () => {
    const [here, there] = [own('SELECT n FROM counted'), own('SELECT n FROM counted')];
    await get(here);
    await get(there, 'all', {}, other());
    time.advance(10);
    await postToAdmin('/cache/purge', { endpoint: 'strict' });
    nextSecond();
    expect(await get(here)).toMatchObject({ cache: 'MISS', runs: 1 });
    const isDropped = async (): Promise<boolean> => (await get(there, 'all', {}, other())).cache === 'MISS';
    await pollUntil('the other gateway has dropped it', async () => (await isDropped()) || undefined);
  });

  test.each<SqlOptions>([
    { search: { compress: '1', default_format: 'Native' } },
    { search: { session_timezone: 'Asia/Tokyo' } },
    { headers: { 'Accept-Encoding': 'gzip' } },
  ])('has the bytes of the first result in each form: %j', async (form) => {
    const sql = own('SELECT n FROM counted');
    const { rows } = await get(sql, 'all', form);
    nextSecond();
    expect(await get(sql, 'all', form)).toEqual({ rows, cache: 'HIT', age: '0', runs: 0 });
  });

  test('is nothing that is too large, or that calls now()', async () => {
    for (const sql of ['SELECT n + number FROM counted, numbers(30000)', 'SELECT n, now64(9) FROM counted']) {
      await get(sql);
      nextSecond();
      expect(await get(sql)).toMatchObject({ cache: null, runs: 1 });
    }
  });

  test('goes to those who wait, and not to a client that disconnects meanwhile', async () => {
    const sql = own('SELECT n FROM counted');
    await get(sql);
    nextSecond();
    const { isHeld, release } = proxy.holdNext(/FROM system\.parts WHERE active/);
    const headers = { Authorization: 'Bearer qg_all', 'X-Request-Id': 'leaving' };
    const leaving = request(opened().sqlUrl, { method: 'POST', headers });
    leaving.on('error', () => undefined).end(sql);
    await isHeld;
    leaving.destroy();
    const waiting = get(sql);
    release();
    expect(await waiting).toMatchObject({ cache: 'HIT', runs: 0 });
    const line = await pollUntil('it is logged', () =>
      opened().logger.lines.find(({ fields }) => fields['requestId'] === 'leaving'),
    );
    expect([line.fields['code'], line.fields['status']]).toEqual(['CALLER_GONE', 499]);
  });
});

test('while ClickHouse is stopped, a statement is stale where each of its endpoints allows it', async () => {
  const [allowed, both, strict, one] = [
    own('SELECT n FROM counted'),
    own('SELECT c.n FROM counted AS c, seconds AS s'),
    own('SELECT c.n FROM counted AS c, strict AS s'),
    own('SELECT 1'),
  ];
  const results = new Map<string, string>();
  for (const sql of [allowed, both, strict, one]) results.set(sql, (await get(sql)).rows);
  await server.server.stop();
  time.advance(90_000);
  for (const sql of [allowed, both])
    expect(await get(sql)).toMatchObject({ rows: results.get(sql), cache: 'STALE', age: '90' });
  const { headers } = await opened().send(allowed, { key: 'qg_all' });
  expect(headers.get('cache-status')).toBe('querygate; hit; ttl=-89; detail=stale-if-error');
  for (const sql of [strict, one]) expect((await get(sql)).rows).toMatch(/^Code: 279/);
  // After the time for which the version of ClickHouse is remembered.
  time.advance(700_000);
  expect(await get(allowed)).toMatchObject({ rows: results.get(allowed), cache: 'STALE' });
  time.advance(3_600_000);
  expect((await get(allowed)).rows).toMatch(/^Code: 279/);
});
