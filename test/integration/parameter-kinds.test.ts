import { createQueryRunner } from '../../src/clickhouse/query-runner.js';
import { column } from '../../src/endpoint/definition.js';
import { defineEndpoint } from '../../src/endpoint/endpoint.js';
import { boolean, integer, sql, whenGiven, where } from '../../src/endpoint/index.js';
import { openApiDocument } from '../../src/http/openapi/openapi-document.js';
import { createTestDatabase, type TestDatabase } from '../support/clickhouse.js';
import { createTestGateway, type TestGateway } from '../support/test-gateway.js';

const ENDPOINT = defineEndpoint({
  id: '5d0c4b7e-0f7a-4f0e-9a51-8e2b6f1c3d49',
  name: 'numbers.near',
  summary: 'A number and whether it is even.',
  parameters: {
    number: integer({ description: 'The number.', required: true, minimum: -1 }),
    even: boolean({ description: 'Only where this is whether it is even.' }),
  },
  columns: { number: column('Int64', 'The number.'), even: column('Bool', 'Whether it is even.') },
  maxRows: 10,
  caching: 60,
  warming: 0,
  sandboxing: 'disabled',
  example: { number: '4' },
  build: ({ number, even }) => sql`
    SELECT ${number} AS number, CAST(number % 2 = 0, 'Bool') AS even
    FROM system.one
    ${where(whenGiven(even, sql`even = ${even}`))}`,
});

let database: TestDatabase;
let gateway: TestGateway;

const get = (query: string): ReturnType<TestGateway['get']> =>
  gateway.get(`/api/endpoints/query/numbers.near?${query}`);

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await createTestGateway({ endpoints: [ENDPOINT] });
  gateway.runQuery.respondWith(createQueryRunner(database.client, { timeoutMs: 20_000 }));
});

afterAll(() => database.close());

describe('parameters of the kinds integer and boolean', () => {
  it('are bound as numbers and truth values that ClickHouse compares', async () => {
    expect((await get('number=4&even=1')).body).toEqual({ result: [{ number: 4, even: true }] });
    expect((await get('number=4&even=false')).body).toEqual({ result: [] });
    expect((await get('number=5&even=')).body).toEqual({ result: [{ number: 5, even: false }] });
  });

  it('keep an integer beyond 2^53 exact', async () => {
    expect((await get('number=9007199254740993')).text).toContain('"number":9007199254740993');
  });

  it('have one cache entry for each value, however the value is written', async () => {
    await get('number=7');
    const responses = await Promise.all(['number=07', 'number=%2B7'].map((query) => get(query)));
    expect(responses.map(({ headers }) => headers['x-cache'])).toEqual(['HIT', 'HIT']);
  });

  it('are reported together where they are invalid', async () => {
    const response = await get('number=-2&even=maybe');
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({
      detail:
        'Invalid parameters: number must be a whole number between -1 and 9223372036854775807; even must be true or false.',
      problems: [{ param: 'number' }, { param: 'even' }],
    });
  });

  it('are described with their kind, and with their types in OpenAPI', async () => {
    const { body } = (await gateway.get('/api/endpoints/numbers.near')) as { body: unknown };
    expect(body).toMatchObject({
      parameters: [
        { name: 'number', kind: 'integer', empty: 'omitted', type: 'Int64' },
        { name: 'even', kind: 'boolean', empty: 'omitted', choices: ['true', 'false'] },
      ],
    });
    const { paths } = openApiDocument({ endpoints: [ENDPOINT], version: '1' });
    expect(paths['/api/endpoints/query/numbers.near']?.get.parameters?.slice(0, 2)).toMatchObject([
      { name: 'number', required: true, schema: { type: 'integer', format: 'int64', minimum: -1 } },
      { name: 'even', schema: { type: 'boolean' } },
    ]);
  });
});
