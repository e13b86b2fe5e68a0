import type { Test } from 'supertest';

import { column, type Numbers } from '../../src/endpoint/definition.js';
import { defineEndpoint, type Endpoint } from '../../src/endpoint/endpoint.js';
import { sql, text } from '../../src/endpoint/index.js';
import type { JsonSchema } from '../../src/endpoint/json-schema.js';
import { outputSchemaOf } from '../../src/gateway/http/mcp/tool-schema.js';
import { SAMPLE, sampleEndpoint } from '../support/sample-endpoint.js';
import { createTestGateway, KEY, problemOf, type TestGateway } from '../support/test-gateway.js';

interface OpenApi {
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
  readonly paths: Readonly<
    Record<string, { readonly get: { readonly parameters: readonly { name: string; schema: JsonSchema }[] } }>
  >;
}

const URL = '/api/endpoints/query/sample?city=Rome';
const parameters = { numbers: text({ description: 'Which numbers.' }) };
/** An endpoint with a parameter of the name. */
const DECLARING = defineEndpoint({
  ...SAMPLE,
  parameters,
  example: {},
  build: ({ numbers }) => sql`SELECT ${numbers} AS city`,
});

const open = (endpoint: Endpoint = sampleEndpoint()): Promise<TestGateway> =>
  createTestGateway({ endpoints: [endpoint] });

/** The representation in which a call asks ClickHouse for its rows, and what the response says of it. */
async function representationFor(
  call: (gateway: TestGateway) => Test,
  endpoint?: Endpoint,
): Promise<unknown> {
  const gateway = await open(endpoint);
  const response = await call(gateway);
  expect(response.status).toBe(200);
  return [gateway.runQuery.onlyRequest.representation?.name, response.headers['preference-applied']];
}
const get =
  (query: string, prefer = 'return=minimal') =>
  (gateway: TestGateway): Test =>
    gateway.get(`${URL}${query}`).set('Prefer', prefer);

describe('numbers', () => {
  it.each([
    ['&numbers=text', undefined, 'json;text-numbers', undefined],
    ['&numbers=TEXT&format=ndjson', undefined, 'ndjson;text-numbers', undefined],
    ['&numbers=text&format=csv', undefined, 'csv', undefined],
    ['', 'numbers=text', 'json;text-numbers', 'numbers=text'],
    ['', 'numbers="Text", wait=5', 'json;text-numbers', 'wait=5, numbers=text'],
    ['', 'numbers=plain', 'json', 'numbers=plain'],
    [
      '&format=json-table',
      'timestamps=unix-micros, numbers=text',
      'json-table;unix-micros;text-numbers',
      'timestamps=unix-micros, numbers=text',
    ],
    ['&format=parquet', 'numbers=text', 'parquet', undefined],
    ['&numbers=plain', 'numbers=text', 'json', undefined],
  ])('choose the representation: "%s" with Prefer "%s"', async (query, prefer, name, applied) => {
    expect(await representationFor(get(query, prefer))).toEqual([name, applied]);
  });

  it.each<[Numbers, string, string]>([
    ['text', '', 'json;text-numbers'],
    ['text', '&numbers=plain', 'json'],
    ['plain', '', 'json'],
    ['plain', '&numbers=text', 'json;text-numbers'],
  ])('are as the endpoint says, %s, where the call does not: "%s"', async (numbers, query, name) => {
    expect(await representationFor(get(query), sampleEndpoint({ numbers }))).toEqual([name, undefined]);
  });

  it('may be in the query string of a POST', async () => {
    const post = ({ agent }: TestGateway): Test =>
      agent()
        .post(`${URL.replace(/\?.*/, '')}?numbers=text`)
        .set('X-API-KEY', KEY)
        .send({ city: 'Rome' });
    expect(await representationFor(post)).toEqual(['json;text-numbers', undefined]);
  });

  it.each([
    ['&numbers=', undefined, 'numbers'],
    ['&numbers=string', undefined, 'numbers'],
    ['&numbers=text&numbers=text', undefined, 'numbers'],
    ['', 'numbers=string', 'Prefer: numbers'],
    ['&numbers=text', 'numbers', 'Prefer: numbers'],
  ])('are 400 for another value: "%s" with Prefer "%s"', async (query, prefer, param) => {
    const gateway = await open();
    const problem = problemOf(await get(query, prefer)(gateway));
    expect(problem).toMatchObject({ status: 400, code: 'INVALID_PARAMETERS' });
    expect(problem.problems?.map((each) => each.param)).toEqual([param]);
    expect(gateway.runQuery.requests).toEqual([]);
  });

  it('are a parameter of the endpoint where it declares one, and then a preference alone', async () => {
    const gateway = await open(DECLARING);
    const URL_OF_VALUE = '/api/endpoints/query/sample?numbers=prime';
    const response = await gateway.get(URL_OF_VALUE).set('Prefer', 'numbers=text');
    const body = await gateway
      .agent()
      .post('/api/endpoints/query/sample')
      .set('X-API-KEY', KEY)
      .send({ numbers: 'even' });
    expect([response.status, response.headers['preference-applied'], body.status]).toEqual([
      200,
      'numbers=text',
      200,
    ]);
    expect(
      gateway.runQuery.requests.map(({ query, representation }) => [
        query.parameters['numbers'],
        representation?.name,
      ]),
    ).toEqual([
      ['prime', 'json;text-numbers'],
      ['even', 'json'],
    ]);
    const misplaced = await gateway.agent().post(URL_OF_VALUE).set('X-API-KEY', KEY).send({});
    expect(problemOf(misplaced).problems).toEqual([
      { param: 'numbers', problem: 'is in the query string, but a POST takes its parameters from the body' },
    ]);
  });
});

describe('what is said of numbers', () => {
  const columns = {
    n: column('Nullable(Int64)', 'A number.'),
    sums: column('Array(UInt256)', 'Sums.'),
    took: column('IntervalDay', 'A time.'),
    price: column('Decimal(9, 2)', 'A price.'),
    total: column('Decimal(38, 2)', 'A total.'),
    small: column('UInt32', 'A number.'),
  };
  const AS_TEXT = {
    n: { type: ['string', 'null'], format: 'int64' },
    sums: { items: { type: 'string', format: 'uint256' } },
    took: { type: 'string', format: 'int64' },
    price: { type: 'number' },
    total: { type: 'string', format: 'decimal' },
    small: { type: 'integer' },
  };

  it.each<[Numbers | undefined, object]>([
    ['text', AS_TEXT],
    [undefined, { n: { type: ['integer', 'null'] }, total: { type: 'number' } }],
  ])('in OpenAPI is how the endpoint writes them: %s', async (numbers, properties) => {
    const endpoint = defineEndpoint({ ...SAMPLE, columns, ...(numbers && { numbers }) });
    const gateway = await open(endpoint);
    const { body } = (await gateway.get('/openapi.json')) as { readonly body: OpenApi };
    expect(body.components.schemas['SampleRow']?.properties).toMatchObject(properties);
    const list = (await gateway.get('/api/endpoints/sample')) as { readonly body: object };
    expect(list.body).toEqual(expect.objectContaining(numbers ? { numbers } : {}));
  });

  it('in the schema of a tool is how the endpoint writes them', () => {
    const { properties } = outputSchemaOf(
      defineEndpoint({ ...SAMPLE, columns, numbers: 'text' }),
      'unix-micros',
    );
    const at = defineEndpoint({ ...SAMPLE, columns: { at: column('DateTime', 'A time.') }, numbers: 'text' });
    expect(properties?.['rows']?.items?.properties).toMatchObject({
      ...AS_TEXT,
      price: { type: ['number', 'string'] },
    });
    expect(outputSchemaOf(at, 'unix-micros').properties?.['rows']?.items?.properties).toMatchObject({
      at: { type: 'string', format: 'int64' },
    });
  });

  it.each([
    [sampleEndpoint(), true],
    [DECLARING, false],
  ])('in OpenAPI is the parameter, unless the endpoint has one of the name', async (endpoint, isOwn) => {
    const gateway = await open(endpoint);
    const { body } = (await gateway.get('/openapi.json')) as { readonly body: OpenApi };
    const found = body.paths['/api/endpoints/query/sample']?.get.parameters.filter(
      ({ name }) => name === 'numbers',
    );
    expect(found?.map(({ schema }) => schema)).toEqual([
      isOwn ? { $ref: '#/components/schemas/Numbers' } : expect.objectContaining({ type: 'string' }),
    ]);
  });
});
