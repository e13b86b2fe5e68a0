import { writeFile, readFile } from 'node:fs/promises';
import { request } from 'node:http';
import path from 'node:path';

import { contentOfAll } from '../../../src/gateway/clickhouse/compressed-frames.js';
import { demoDatabase } from '../../support/demo-database.js';
import { pollUntil } from '../../support/poll-until.js';
import { RewritingProxy } from '../../support/rewriting-proxy.js';
import { SettableClock } from '../../support/settable-clock.js';
import { CACHED_TABLES, CACHING_KEYS } from '../../support/cached-tables.js';
import { sharedSqlGateway, type SqlOptions } from '../../support/sql-gateway.js';
import { newPrefix, sharedRedisUrl } from '../../support/test-redis.js';

/** Bytes of a result that is cached. */
const MOST = 64 * 1024;

const time = new SettableClock();
const queries: string[] = [];
let proxy: RewritingProxy;
const redis = { REDIS_URL: sharedRedisUrl(), CACHE_KEY_PREFIX: newPrefix() };
const variables = { ADMIN_PORT: '0', CACHE_MAX_SHARED_KB: String(MOST / 1024), ...redis };
const project = { endpoints: CACHED_TABLES, keys: CACHING_KEYS, clock: time.clock };
const opened = sharedSqlGateway(variables, {
  ...project,
  connect: async () => {
    const { connection } = await demoDatabase();
    proxy = await RewritingProxy.start(connection.url, (sql) => {
      queries.push(sql);
      return sql;
    });
    return { ...connection, url: proxy.url };
  },
});
const other = sharedSqlGateway(variables, project);
afterAll(() => proxy.close());

/** The statements that ClickHouse runs meanwhile, without the checks of their texts. */
async function runsOf(act: () => Promise<unknown>): Promise<number> {
  queries.length = 0;
  await act();
  return queries.filter((sql) => /_q\w+_1 AS \((?!SELECT 1\))/.test(sql)).length;
}

const LONG = 'SELECT id FROM drawn_long';
/** The same for no other test. */
let count = 0;
const own = (sql: string): string => `${sql} WHERE ${(count += 1)} = ${count}`;

const get = (sql: string, key = 'all', options: SqlOptions = {}): Promise<string> =>
  opened().rows(sql, { key: `qg_${key}`, ...options });
const cacheOf = async (sql: string, options: SqlOptions = {}): Promise<string | null> => {
  const response = await opened().send(sql, { key: 'qg_all', ...options });
  await response.arrayBuffer();
  return response.headers.get('x-cache');
};

describe('equal statements', () => {
  test('of ten clients at once are one query each, and none when they are sent again', async () => {
    const dashboard = Array.from(
      { length: 30 },
      (_, chart) => `SELECT path FROM edge_of_project(project = 'aurora') ORDER BY path LIMIT ${chart}, 10`,
    );
    const open = (): Promise<readonly string[]> =>
      Promise.all(
        Array.from({ length: 10 }, () => dashboard)
          .flat()
          .map((sql) => get(sql)),
      );
    let first: readonly string[] = [];
    expect(await runsOf(async () => (first = await open()))).toBe(30);
    let again: readonly string[] = [];
    expect(await runsOf(async () => (again = await open()))).toBe(0);
    expect(again).toEqual(first);
    expect(new Set(first.slice(0, 30)).size).toBeGreaterThan(1);
  });

  test('are one query for another gateway too, until a purge of an endpoint', async () => {
    const sql = own(LONG);
    const id = await get(sql);
    expect(await other().rows(sql, { key: 'qg_all' })).toBe(id);
    await fetch(`${other().gateway.adminUrl ?? ''}/cache/purge`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ endpoint: 'drawn.short' }),
    });
    // What is queried at the time of a purge is not cached.
    time.advance(1);
    await pollUntil('the purge arrives', async () => ((await get(sql)) === id ? undefined : true));
  });

  test('are shared by keys with the same pins, and by no others', async () => {
    const sql = 'SELECT path FROM edge_of_project ORDER BY path LIMIT 9';
    const shared = await runsOf(async () => {
      expect(await get(sql, 'aurora')).toBe(await get(sql, 'twin'));
    });
    expect(shared).toBe(1);
    const apart = await runsOf(async () => {
      expect(await get(sql, 'beacon')).not.toBe(await get(sql, 'aurora'));
      const named = "SELECT path FROM edge_of_project(project = 'aurora') ORDER BY path LIMIT 9";
      expect(await get(named, 'all')).toBe(await get(named, 'aurora'));
    });
    // That a key names what it pins makes no other statement of it.
    expect(apart).toBe(2);
  });

  test('differ by format, and by what a client may set', async () => {
    const sql = own("SELECT toDateTime(0, 'UTC') AS t, toString(toDateTime(0)) AS zoned, id FROM drawn_long");
    const variants: readonly SqlOptions[] = [
      {},
      { search: { default_format: 'JSON' } },
      { search: { default_format: 'Native' } },
      { search: { default_format: 'Native', client_protocol_version: '54460' } },
      { search: { compress: '1' } },
      { search: { session_timezone: 'Asia/Tokyo' } },
      { search: { date_time_output_format: 'unix_timestamp' } },
      { search: { extremes: '1', default_format: 'JSON' } },
      { search: { max_result_rows: '10' } },
      { search: { max_execution_time: '7' } },
    ];
    const runs = await runsOf(async () => {
      for (const options of variants) expect(await cacheOf(sql, options)).toBe('MISS');
      for (const options of variants) expect(await cacheOf(sql, options)).toBe('HIT');
    });
    expect(runs).toBe(variants.length);
  });
});

describe('a cached result', () => {
  test('has the bytes of the first one, whatever its form', async () => {
    const sql = 'SELECT n, toString(n) AS text FROM numbers_many(many = 1000) ORDER BY n';
    const forms: readonly SqlOptions[] = [
      {},
      { search: { default_format: 'JSONCompact' } },
      { search: { default_format: 'Parquet' } },
      { search: { default_format: 'Native', compress: '1' } },
      { headers: { 'Accept-Encoding': 'gzip' } },
      { headers: { 'Accept-Encoding': 'br' } },
      { headers: { 'Accept-Encoding': 'lz4' } },
    ];
    for (const form of forms) {
      const first = await opened().send(sql, { key: 'qg_all', ...form });
      const one = Buffer.from(await first.arrayBuffer());
      const second = await opened().send(sql, { key: 'qg_all', ...form });
      const two = Buffer.from(await second.arrayBuffer());
      expect(two.equals(one)).toBe(true);
      for (const name of ['content-type', 'content-encoding', 'x-clickhouse-format', 'x-clickhouse-timezone'])
        expect([name, second.headers.get(name)]).toEqual([name, first.headers.get(name)]);
      expect(second.headers.get('x-cache')).toBe('HIT');
      if (form.search?.['compress'] === '1') expect(contentOfAll(two)?.length).toBeGreaterThan(8000);
    }
  });

  test('is fresh for as long as the first of its endpoints allows, and never where that caches nothing', async () => {
    const [long, short] = [own(LONG), own('SELECT l.id, s.id FROM drawn_long AS l, drawn_short AS s')];
    const [of, both] = [await get(long), await get(short)];
    time.advance(4000);
    expect([await get(long), await get(short)]).toEqual([of, both]);
    const response = await opened().send(long, { key: 'qg_all' });
    expect(response.headers.get('age')).toBe('4');
    await response.text();
    time.advance(1000);
    expect(await get(long)).toBe(of);
    expect(await get(short)).not.toBe(both);
    const anew = 'SELECT l.id, a.id FROM drawn_long AS l, drawn_anew AS a';
    expect(await get(anew)).not.toBe(await get(anew));
    expect(await cacheOf(anew)).toBeNull();
  });

  test('does not depend on the time at which its endpoint was called, but on the functions of the statement', async () => {
    const at = await get('SELECT at FROM clock_now');
    time.advance(10_000);
    expect(await get('SELECT at FROM clock_now')).toBe(at);
    for (const sql of [
      'SELECT id, now64(9) FROM drawn_long',
      'SELECT id FROM drawn_long WHERE (SELECT toYear(today())) > 0',
      "SELECT id FROM drawn_long WHERE toYear(parseDateTimeBestEffort('Jan 1 00:00')) > 0",
    ])
      expect([sql, await get(sql)]).not.toEqual([sql, await get(sql)]);
    const greeting = own('SELECT version(), timezone()');
    expect([await cacheOf(greeting), await cacheOf(greeting)]).toEqual(['MISS', 'HIT']);
  });

  test('counts once for an endpoint that is read with two arguments', async () => {
    const countOf = async (): Promise<number> => {
      const response = await fetch(`${opened().gateway.adminUrl ?? ''}/cache`);
      const { endpoints } = (await response.json()) as {
        endpoints: readonly { endpoint: string; requests: number }[];
      };
      return endpoints.find(({ endpoint }) => endpoint === 'numbers.many')?.requests ?? 0;
    };
    const before = await countOf();
    await get('SELECT a.n FROM numbers_many(many = 1) AS a, numbers_many(many = 2) AS b');
    expect(await countOf()).toBe(before + 1);
  });

  test('is never that of a secret argument', async () => {
    const sql = "SELECT id FROM secret_one(token = 'a')";
    expect(await get(sql)).not.toBe(await get(sql));
  });

  test('is not that of a definition that was replaced', async () => {
    const { gateway, folder } = opened();
    const sql = 'SELECT at FROM clock_now';
    await get(sql);
    const file = path.join(folder, 'endpoints', 'clock.now.sql');
    const before = await readFile(file, 'utf8');
    await writeFile(file, before.replace('SELECT toString(@now) AS at', "SELECT 'other' AS at"));
    expect((await gateway.reload()).problems).toEqual([]);
    expect(await get(sql)).toBe('other\n');
  });

  test('is replaced where a key that may do so asks for a new one, and counts as a request', async () => {
    const sql = own(LONG);
    const headers = { 'Cache-Control': 'no-cache' };
    const id = await get(sql);
    expect(await get(sql, 'other', { headers })).toBe(id);
    const anew = await get(sql, 'all', { headers });
    expect(anew).not.toBe(id);
    expect(await get(sql, 'limited')).toBe(anew);
    expect(await get(sql, 'limited')).toBe(anew);
    await expect(get(sql, 'limited')).rejects.toThrow('Code: 201');
    const { fields } =
      opened().logger.lines.findLast(
        (line) => line.fields['key'] === 'limited' && line.fields['status'] === 200,
      ) ?? {};
    expect(fields).toMatchObject({ cache: 'HIT', endpoint: 'drawn.long' });
  });

  test('of catalogues is that of the tables of the key', async () => {
    const sql = "SELECT name FROM system.tables WHERE database = 'querygate' ORDER BY name";
    const runs = await runsOf(async () => {
      expect(await get(sql)).toBe(await get(sql, 'other'));
      expect(await get(sql, 'aurora')).not.toBe(await get(sql));
    });
    expect(runs).toBe(2);
  });
});

describe('a result that is too large', () => {
  test.each([20_000, 100_000])('is sent to each client whole, %i rows', async (many) => {
    const sql = `SELECT n FROM numbers_many(many = ${many}) ORDER BY n`;
    const whole = Array.from({ length: many }, (_, n) => `${n}\n`).join('');
    const runs = await runsOf(async () => {
      const all = await Promise.all(Array.from({ length: 5 }, () => get(sql)));
      for (const rows of all) expect(rows === whole).toBe(true);
    });
    expect(runs).toBe(5);
    expect(await cacheOf(sql)).toBeNull();
  });
});

test('a statement goes on for others when its client disconnects', async () => {
  const { sqlUrl, gateway } = opened();
  const sql = own(LONG);
  const { isHeld, release } = proxy.holdNext(/_1 AS \(\n/);
  let rows: Promise<string> | undefined;
  const runs = await runsOf(async () => {
    const leader = request(sqlUrl, { method: 'POST', headers: { Authorization: 'Bearer qg_all' } });
    leader.on('error', () => undefined);
    leader.end(sql);
    await isHeld;
    rows = get(sql, 'other');
    const running = (): Promise<{ calls: readonly unknown[] }> =>
      fetch(`${gateway.adminUrl ?? ''}/calls`).then((response) => response.json() as never);
    await pollUntil('both wait', async () => ((await running()).calls.length === 2 ? true : undefined));
    leader.destroy();
    await pollUntil('one waits', async () => ((await running()).calls.length === 1 ? true : undefined));
    release();
    expect(await rows).toMatch(/^[\da-f-]{36}\n$/);
  });
  expect(runs).toBe(1);
});
