import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { gzipSync } from 'node:zlib';

import { sharedSqlGateway, SQL_KEYS } from '../../support/sql-gateway.js';

const opened = sharedSqlGateway({ SQL_MAX_ROWS: '1000' });
const rows = (...args: Parameters<ReturnType<typeof opened>['rows']>): Promise<string> =>
  opened().rows(...args);
const send = (...args: Parameters<ReturnType<typeof opened>['send']>): Promise<Response> =>
  opened().send(...args);

describe('tables', () => {
  test('are the endpoints that the key may call and that say so', async () => {
    expect(await rows('SHOW TABLES')).toBe(
      'edge_by_status\nedge_days\nedge_joined\nedge_long\nedge_of_project\n',
    );
    expect(await rows('SHOW TABLES', { key: SQL_KEYS.tenant })).toBe('edge_by_status\nedge_of_project\n');
    const hidden = await send('SELECT * FROM edge_hidden');
    expect(hidden.headers.get('x-clickhouse-exception-code')).toBe('60');
  });

  test('have the rows of the endpoint, and the row cap does not cut them', async () => {
    const counted = await rows('SELECT count() > 2, sum(requests) > 100 FROM querygate.edge_by_status');
    expect(counted).toBe('1\t1\n');
  });

  test('have the rows of the tenant whose key it is, whatever the statement says', async () => {
    const own = await rows("SELECT sum(requests) FROM edge_by_status(project = 'aurora')");
    expect(await rows('SELECT sum(requests) FROM edge_by_status', { key: SQL_KEYS.tenant })).toBe(own);
    expect(await rows('SELECT sum(requests) FROM edge_by_status')).not.toBe(own);
    const other = await send("SELECT * FROM edge_by_status(project = 'basalt')", { key: SQL_KEYS.tenant });
    expect(other.status).toBe(403);
    expect(await other.text()).toContain('This key is restricted to another project');
  });

  test('are joined, filtered and qualified as tables of ClickHouse are', async () => {
    const joined = await rows(
      'SELECT `querygate`.`edge_by_status`.`status` AS s, count() FROM `querygate`.`edge_by_status` ' +
        "JOIN querygate.edge_of_project(project = 'aurora') AS p ON p.requests >= querygate.edge_by_status.requests " +
        'WHERE edge_by_status.status = 200 GROUP BY s',
      { search: { default_format: 'TabSeparatedWithNames' } },
    );
    expect(joined).toMatch(/^s\tcount\(\)\n/);
  });

  test('take arguments as values, arrays and parameters, which are those of a call', async () => {
    const search = { param_list: '[200,404]', param_project: 'aurora' };
    const one = await rows(
      "SELECT sum(requests) FROM edge_by_status(project = 'aurora', statuses = [200, 404])",
    );
    const other = await rows(
      'SELECT sum(requests) FROM edge_by_status(project = {project:String}, statuses = {list:Array(UInt16)})',
      { search },
    );
    expect(other).toBe(one);
    const wrong = await send('SELECT * FROM edge_by_status(statuses = [1, 2], status = 3)');
    expect(await wrong.text()).toContain('has no argument status. Did you mean statuses?');
    const invalid = await send("SELECT * FROM edge_by_status(statuses = 'x')");
    expect(await invalid.text()).toContain('statuses item 1 must be a whole number');
  });

  test('are known to each query of a UNION, with a WITH of its own or in brackets', async () => {
    const own =
      "WITH n AS (SELECT count() AS c FROM edge_of_project(project = 'aurora')) SELECT c > 0 FROM n";
    expect(
      await rows(`SELECT day FROM edge_days UNION ALL ${own.replace('c > 0', 'toDate(c > 0)')}`),
    ).toMatch(/^1970-01-02$/m);
    expect(await rows(`(${own}) UNION ALL (SELECT count() FROM edge_days)`)).toBe('1\n1\n');
  });

  test('have another value in each reading of one statement', async () => {
    const both = await rows(
      "SELECT (SELECT sum(requests) FROM edge_by_status(project = 'aurora')), (SELECT sum(requests) FROM edge_by_status(project = 'basalt'))",
    );
    const [aurora, basalt] = both.trim().split('\t');
    expect(aurora).not.toBe(basalt);
    expect(await rows("SELECT sum(requests) FROM edge_by_status(project = 'basalt')")).toBe(`${basalt}\n`);
  });
});

describe('protocol', () => {
  test('responds to a ping without a key, and to nothing else', async () => {
    const { sqlUrl } = opened();
    expect(await (await fetch(`${sqlUrl}/ping`)).text()).toBe('Ok.\n');
    expect(await (await fetch(sqlUrl)).text()).toBe('Ok.\n');
    const missing = await fetch(`${sqlUrl}/?query=SELECT%201`);
    expect(await missing.text()).toContain('(REQUIRED_PASSWORD)');
    expect([missing.status, missing.headers.get('x-clickhouse-exception-code')]).toEqual([401, '194']);
    const wrong = await send('SELECT 1', { key: 'wrong' });
    expect([wrong.status, wrong.headers.get('x-clickhouse-exception-code')]).toEqual([403, '516']);
  });

  test.each([
    ['X-ClickHouse-Key', { 'X-ClickHouse-User': 'me', 'X-ClickHouse-Key': SQL_KEYS.all }, {}],
    ['Bearer', { Authorization: `Bearer ${SQL_KEYS.all}` }, {}],
    ['password in the query string', {}, { user: 'me', password: SQL_KEYS.all }],
  ])('takes the key as %s', async (_, headers, search) => {
    const { sqlUrl, logger } = opened();
    const target = new URLSearchParams({ query: 'SELECT 1', ...search });
    const response = await fetch(`${sqlUrl}/?${target.toString()}`, { headers });
    expect(await response.text()).toBe('1\n');
    expect(JSON.stringify(logger.lines)).not.toContain(SQL_KEYS.all);
  });

  test('reads a statement from the query string, the body, a gzip body and a form', async () => {
    const { sqlUrl } = opened();
    const auth = { Authorization: `Bearer ${SQL_KEYS.all}` };
    const target = `${sqlUrl}/?query=${encodeURIComponent('SELECT')}`;
    expect(await (await fetch(target, { method: 'POST', headers: auth, body: '3' })).text()).toBe('3\n');
    const zipped = await fetch(sqlUrl, {
      ...{ method: 'POST', headers: { ...auth, 'Content-Encoding': 'gzip' }, body: gzipSync('SELECT 4') },
    });
    expect(await zipped.text()).toBe('4\n');
    const form = new FormData();
    form.set('query', 'SELECT {n:UInt8} + 1');
    form.set('param_n', '4');
    expect(await (await fetch(sqlUrl, { method: 'POST', headers: auth, body: form })).text()).toBe('5\n');
  });

  test('sends headers from a list, with the id of the client', async () => {
    const response = await send('SELECT 1 AS n', {
      search: { query_id: 'mine', default_format: 'JSONEachRow' },
    });
    expect(await response.text()).toBe('{"n":1}\n');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'x-clickhouse-query-id': 'mine',
      'x-clickhouse-format': 'JSONEachRow',
      'x-clickhouse-timezone': 'UTC',
    });
    const own = await send('SELECT 1', { search: { http_response_headers: "{'X-Evil':'1'}" } });
    expect([own.status, own.headers.get('x-evil'), own.headers.get('x-clickhouse-exception-code')]).toEqual([
      ...[500, null, '164'],
    ]);
  });

  test.each(['a\r\nX-Evil: 1', '☃', '\0'])(
    'repeats of the id %j only what a header can have',
    async (queryId) => {
      const { status, headers } = await send('SELECT 1', { search: { query_id: queryId } });
      expect([status, headers.get('x-evil')]).toEqual([200, null]);
      expect(headers.get('x-clickhouse-query-id')).toBe(queryId.replaceAll(/[^ -~]/g, '?'));
    },
  );

  test.each(['zstd', 'constructor'])('refuses a body with Content-Encoding %s', async (encoding) => {
    const response = await send('SELECT 1', { headers: { 'Content-Encoding': encoding } });
    expect(response.headers.get('x-clickhouse-exception-code')).toBe('89');
  });

  test.each([
    ['its bytes', {}, Buffer.alloc(256 * 1024 + 1, ' ')],
    ['what they decode to', { 'Content-Encoding': 'gzip' }, gzipSync(Buffer.alloc(100_000_000, ' '))],
    ['its words, numbers and symbols', {}, Buffer.from(`SELECT ${'1,'.repeat(30_000)}1`)],
  ])('bounds a body by %s', async (_, headers, body) => {
    const { sqlUrl } = opened();
    const auth = { Authorization: `Bearer ${SQL_KEYS.all}` };
    const response = await fetch(sqlUrl, { method: 'POST', headers: { ...auth, ...headers }, body });
    expect(response.headers.get('x-clickhouse-exception-code')).toBe('307');
  });

  test('compresses as the client accepts', async () => {
    const { sqlUrl } = opened();
    const response = await fetch(`${sqlUrl}/?enable_http_compression=1`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${SQL_KEYS.all}`, 'Accept-Encoding': 'gzip' },
      body: 'SELECT number FROM numbers(500)',
    });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect((await response.text()).split('\n')).toHaveLength(501);
  });

  test('serves the client of ClickHouse for JavaScript', async () => {
    const client = createClient({
      ...{ url: opened().sqlUrl, username: 'me', password: SQL_KEYS.all, database: 'querygate' },
      compression: { response: true },
      log: { level: ClickHouseLogLevel.OFF },
    });
    try {
      expect(await client.ping()).toEqual({ success: true });
      const result = await client.query({
        query: 'SELECT {n:UInt32} AS n, {s:String} AS s, {a:Array(String)} AS a',
        query_params: { n: 7, s: "it's\ta", a: ['x', "y'z"] },
        format: 'JSONEachRow',
      });
      expect(await result.json()).toEqual([{ n: 7, s: "it's\ta", a: ['x', "y'z"] }]);
      await expect(client.query({ query: 'SELECT nothing FROM edge_days' })).rejects.toMatchObject({
        ...{ code: '47', type: 'UNKNOWN_IDENTIFIER' },
      });
    } finally {
      await client.close();
    }
  });
});

describe('limits', () => {
  test('reject more rows than the cap, and cut none', async () => {
    const many = await send('SELECT number FROM numbers(1001)');
    expect(many.headers.get('x-clickhouse-exception-code')).toBe('396');
    expect((await rows('SELECT number FROM numbers(1000)')).split('\n')).toHaveLength(1001);
    const search = { max_result_rows: '10', result_overflow_mode: 'break' };
    expect((await rows('SELECT number FROM numbers(5000)', { search })).split('\n')).toHaveLength(11);
    const thrown = await send('SELECT number FROM numbers(11)', { search: { max_result_rows: '10' } });
    expect(thrown.headers.get('x-clickhouse-exception-code')).toBe('396');
  });

  test('of the queries of an endpoint are those of a statement that reads it', async () => {
    const over = await send('SELECT day FROM edge_days UNION ALL SELECT toDate(n) FROM edge_long');
    expect(over.headers.get('x-clickhouse-exception-code')).toBe('158');
    expect(await rows('SELECT day FROM edge_days')).toBe('2023-11-14\n');
  });

  test('of a key are error 201, which no driver retries', async () => {
    await rows('SELECT 1', { key: SQL_KEYS.limited });
    const limited = await send('SELECT 1', { key: SQL_KEYS.limited });
    expect([limited.status, limited.headers.get('x-clickhouse-exception-code')]).toEqual([500, '201']);
    const seconds = Number(limited.headers.get('retry-after'));
    expect([seconds >= 1, seconds <= 60]).toEqual([true, true]);
    expect(limited.headers.get('ratelimit')).toMatch(/^"requests";r=0;t=\d+$/);
  });
});

test('an error of ClickHouse has its code in frames too', async () => {
  const { headers, status } = await send('SELECT nothing FROM edge_days', { search: { compress: '1' } });
  expect([status, headers.get('x-clickhouse-exception-code')]).toEqual([404, '47']);
});
