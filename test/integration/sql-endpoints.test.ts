import { createQueryRunner } from '../../src/gateway/clickhouse/query-runner.js';
import { readSqlEndpoint } from '../support/read-sql-endpoint.js';
import { FORMAT_NAMES } from '../../src/gateway/formats/formats.js';
import { openApiDocument } from '../../src/gateway/http/describe/openapi/openapi-document.js';
import { AccessGateway } from '../support/access-gateway.js';
import { useTestDatabase } from '../support/clickhouse.js';
import { pollUntil } from '../support/poll-until.js';
import { rowsIn, type NetworkResponse } from '../support/network-request.js';
import { readRows } from '../support/read-formats.js';
import { sqlEndpointFile } from '../support/sql-endpoint-file.js';
import { binary, createTestGateway, type TestGateway } from '../support/test-gateway.js';
import { openSandbox } from './sandbox/sandbox-under-test.js';
import { openForAll } from '../support/opened.js';

const NOW = new Date('2026-05-17T10:07:30Z');

const ENDPOINT = readSqlEndpoint(
  sqlEndpointFile(
    'numbers.near',
    [
      'parameters:',
      '  at_most: { kind: integer, required: true, maximum: 1000, description: Greatest number. }',
      '  factor: { kind: decimal, scale: 2, description: Adds the product with this number. }',
      '  only: { kind: integer-list, description: Only these numbers. }',
      '  by: { kind: enum, choices: [number, half], default: number, description: Order. }',
      '  token: { kind: string, secret: true, description: A secret. }',
      'columns: { number: UInt64, product: "Decimal(18, 2)", half: UInt64 }',
    ],
    [
      "WITH few AS (SELECT number, 'a\nb' AS text FROM numbers(@at_most) WHERE true [[ AND number IN (@only) ]]),",
      'everyone AS (SELECT number FROM numbers(100)), doubled AS (SELECT 2 * number AS twice FROM few),',
      'recent AS (SELECT number FROM numbers(100) WHERE now64() > @now)',
      'SELECT number, [[ CAST(number * @factor AS Decimal(18, 2)) AS product, ]] intDiv(number, 2) AS half -- half',
      'FROM few WHERE true [[ AND length({token:String}) > 3 ]]',
      'ORDER BY {by:Identifier} DESC, number;',
    ].join('\n'),
  ),
);

const database = useTestDatabase();
let gateway: TestGateway;

const get = (query: string): ReturnType<TestGateway['get']> =>
  gateway.get(`/api/endpoints/query/numbers.near?${query}`);

beforeAll(async () => {
  gateway = await createTestGateway({ endpoints: [ENDPOINT], clock: () => NOW });
  gateway.runQuery.respondWith(createQueryRunner(database.client, { timeoutMs: 20_000 }));
});

describe('an endpoint in SQL', () => {
  it('filters by a list and orders by a column that the caller names', async () => {
    const rows = (await get('at_most=9&only=1,5,8,3&by=half')).body as { result: unknown };
    expect(rows.result).toEqual([
      { number: 8, half: 4 },
      { number: 5, half: 2 },
      { number: 3, half: 1 },
      { number: 1, half: 0 },
    ]);
  });

  it.each(FORMAT_NAMES)(
    'returns an optional column exactly where its part applies, as %s',
    async (format) => {
      const columns: string[][] = [];
      for (const factor of ['', '&factor=1.50']) {
        const response = await get(`at_most=3&format=${format}${factor}`).buffer(true).parse(binary);
        expect([response.status, response.headers['x-row-count']]).toEqual([200, '3']);
        const [first] = await readRows(format, response.body as Buffer);
        columns.push(Object.keys(first ?? {}));
      }
      expect(columns).toEqual([
        ['number', 'half'],
        ['number', 'product', 'half'],
      ]);
    },
  );

  it('says in OpenAPI and in the list which parameter a column needs', async () => {
    const { components } = openApiDocument({ endpoints: [ENDPOINT], version: '1' });
    expect(components.schemas['NumbersNearRow']).toMatchObject({
      required: ['number', 'half'],
      properties: { product: { description: 'Only with `factor`.' } },
    });
    const { body } = (await gateway.get('/api/endpoints/numbers.near')) as { body: { columns: unknown } };
    expect(body.columns).toContainEqual({
      name: 'product',
      type: 'Decimal(18, 2)',
      description: '',
      onlyWith: ['factor'],
    });
  });

  it('rejects an identifier that is not among the choices before anything is sent', async () => {
    const response = await get(`at_most=3&by=${encodeURIComponent('number; DROP TABLE t')}`);
    expect([response.status, response.text]).toEqual([
      400,
      expect.stringContaining('by must be one of number, half'),
    ]);
  });

  it('is found in ClickHouse’s query log by the request id, without the text where a value is secret', async () => {
    const texts: string[] = [];
    for (const token of ['', '&token=very-secret-4711']) {
      const response = await get(`at_most=7${token}`);
      expect(response.status).toBe(200);
      // ClickHouse responds before it writes the record.
      const [row, ...others] = await pollUntil('the query is logged', async () => {
        await database.client.command({ query: 'SYSTEM FLUSH LOGS' });
        const logged = await database.client.query({
          query: 'SELECT * FROM system.query_log WHERE log_comment = {id:String} AND type = 2',
          query_params: { id: response.headers['x-request-id'] },
          format: 'JSONEachRow',
        });
        const rows = await logged.json<{ query: string }>();
        return rows.length > 0 ? rows : undefined;
      });
      expect(others).toEqual([]);
      texts.push(row?.query ?? '');
      expect(JSON.stringify(row)).not.toContain('very-secret');
    }
    expect(texts[0]).toContain('FROM few');
    expect(texts[1]).toMatch(/^\(removed \d+ characters\)$/);
  });
});

describe('a key that pins a parameter', () => {
  it('gets the rows of its value from an endpoint in SQL, by GET and by POST, and no others', async () => {
    const access = await AccessGateway.open({
      endpoints: [ENDPOINT],
      runQuery: createQueryRunner(database.client, { timeoutMs: 20_000 }),
      keys: { tenant: { fixed: { only: '2,3' } }, operator: {} },
    });
    try {
      const target = '/api/endpoints/query/numbers.near';
      const json = { 'Content-Type': 'application/json' };
      const post = (body: unknown): Promise<NetworkResponse> =>
        access.send('tenant', target, { method: 'POST', headers: json, body: JSON.stringify(body) });
      const responses = [await access.send('tenant', `${target}?at_most=9`), await post({ at_most: 9 })];
      for (const response of responses) {
        expect(rowsIn(response)).toEqual([
          { number: 3, half: 1 },
          { number: 2, half: 1 },
        ]);
      }
      expect(responses[1]?.headers['x-cache']).toBe('HIT');
      expect((await post({ at_most: 9, only: [1] })).status).toBe(403);
      expect(rowsIn(await access.send('operator', `${target}?at_most=9`))).toHaveLength(9);
    } finally {
      await access.close();
    }
  });
});

describe('names of columns', () => {
  it.each(['sum(number)', 'odd: name', 'a$b', 'back`quote', 'quo"te', 'Ünïcode'])(
    'may be any text: %s',
    async (name) => {
      const quoted = JSON.stringify(name);
      const sql = `SELECT sum(number) AS \`${name.replaceAll('`', '\\`')}\` FROM numbers(3)`;
      const endpoint = readSqlEndpoint(sqlEndpointFile('odd.names', [`columns: { ${quoted}: UInt64 }`], sql));
      const odd = await createTestGateway({ endpoints: [endpoint] });
      odd.runQuery.respondWith(createQueryRunner(database.client, { timeoutMs: 20_000 }));
      const response = await odd.get('/api/endpoints/query/odd.names');
      expect([response.status, response.body]).toEqual([200, { result: [{ [name]: 3 }] }]);
    },
  );
});

describe('a caller’s own SQL over an endpoint in SQL', () => {
  const sandbox = openForAll(() => openSandbox(ENDPOINT, { at_most: '6', only: '1,2,3,9' }, NOW));

  it.each([
    ['SELECT number FROM few ORDER BY number', [{ number: 1 }, { number: 2 }, { number: 3 }]],
    ['SELECT max(half) AS half FROM result', [{ half: 1 }]],
    ['SELECT length(text) AS size, count() AS n FROM few GROUP BY text', [{ size: 3, n: 3 }]],
    ['SELECT count() AS n FROM few JOIN result USING number', [{ n: 3 }]],
  ])('reads its WITH queries and its result: %s', async (sql, rows) => {
    expect((await sandbox.run(sql)).rows).toEqual(rows);
  });

  it('cannot read a WITH query that no parameter filters', async () => {
    expect(await sandbox.rejection('SELECT * FROM everyone')).toMatch(/^400 /);
    expect(await sandbox.rejection('SELECT * FROM recent')).toMatch(/^400 /);
    expect((await sandbox.run('SELECT count() AS n FROM doubled')).rows).toEqual([{ n: 3 }]);
  });

  it('cannot read a table that a WITH query reads', async () => {
    expect(await sandbox.rejection('SELECT * FROM numbers(10)')).toMatch(/^400 /);
  });
});
