import { defineEndpoint } from '../../src/endpoint/endpoint.js';
import { boolean, decimal, integer, listOf, sql, text, timestamp } from '../../src/endpoint/index.js';
import { openApiDocument } from '../../src/gateway/http/describe/openapi/openapi-document.js';
import { AccessGateway } from '../support/access-gateway.js';
import { SAMPLE } from '../support/sample-endpoint.js';
import { createTestGateway } from '../support/test-gateway.js';

const description = 'For a test.';
const OTHER_ID = '11111111-2222-4333-8444-000000000099';
const choicesFrom = { endpoint: 'cities', column: 'city' };

const ENDPOINT = defineEndpoint({
  ...SAMPLE,
  parameters: {
    page: integer({ description, minimum: 1, maximum: 50, default: 1 }),
    code: text({ description, maxLength: 2, pattern: '^[A-Z]', deprecated: true }),
    city: text({ description, choicesFrom }),
    token: text({ description, secret: true }),
    exact: boolean({ description, default: false }),
    price: decimal({ description, default: '1.50' }),
    ids: listOf('integer', { description, minimum: 1, default: [1, 2] }),
    big: integer({ description, default: '9007199254740993' }),
    since: timestamp({ description, relativeStep: '5m', default: 'now-7d' }),
  },
  example: { token: 'of-the-file', page: '2' },
  build: () => sql`SELECT '' AS city`,
});

describe('a parameter in the list of endpoints', () => {
  it('has what it is declared with, and no more', async () => {
    const gateway = await createTestGateway({ endpoints: [ENDPOINT] });
    const { body } = (await gateway.get('/api/endpoints/sample')) as {
      body: { parameters: readonly Readonly<Record<string, unknown>>[]; example: unknown };
    };
    const common = new Set(['kind', 'required', 'empty', 'type', 'description', 'format', 'choices']);
    const own = body.parameters.map((parameter) =>
      Object.fromEntries(Object.entries(parameter).filter(([key]) => !common.has(key))),
    );
    expect(own).toEqual([
      { name: 'page', default: '1', minimum: 1, maximum: 50 },
      { name: 'code', maxLength: 2, pattern: '^[A-Z]', deprecated: true },
      { name: 'city', choicesFrom },
      { name: 'token', secret: true },
      { name: 'exact', default: 'false' },
      { name: 'price', default: '1.50' },
      { name: 'ids', default: '1,2', minimum: 1 },
      { name: 'big', default: '9007199254740993' },
      { name: 'since', default: 'now-7d', relativeStep: 300 },
    ]);
    expect(body.example).toEqual({ page: '2' });
  });

  it('has the value that the key pins, unless any endpoint declares it as secret', async () => {
    const code = text({ description, secret: true });
    const declared = { ...SAMPLE.parameters, code };
    const other = defineEndpoint({ ...SAMPLE, id: OTHER_ID, name: 'other', parameters: declared });
    const fixed = { page: '7', code: 'A', token: 'of-the-key' };
    const gateway = await AccessGateway.open({
      endpoints: [ENDPOINT, other],
      keys: { tenant: { fixed } },
    });
    const { text: answer } = await gateway.send('tenant', '/api/endpoints/sample');
    await gateway.close();
    const { parameters } = JSON.parse(answer) as { parameters: readonly { name: string; pinned?: object }[] };
    const pins = parameters.flatMap(({ name, pinned }) => (pinned ? [[name, pinned]] : []));
    expect(pins).toEqual([
      ['page', { value: '7' }],
      ['code', {}],
      ['token', {}],
    ]);
    expect(answer).not.toContain('of-the-key');
  });
});

describe('a parameter in the OpenAPI document', () => {
  const { paths } = openApiDocument({ endpoints: [ENDPOINT], version: '1' });
  const parameters = paths['/api/endpoints/query/sample']?.get.parameters ?? [];
  const named = (wanted: string): unknown =>
    parameters.find((parameter) => 'name' in parameter && parameter.name === wanted);

  it('has its default and bounds in the type of its values', () => {
    expect(named('page')).toMatchObject({
      schema: { type: 'integer', format: 'int64', minimum: 1, maximum: 50, default: 1 },
      example: '2',
    });
    expect(named('exact')).toMatchObject({ schema: { type: 'boolean', default: false } });
    expect(named('price')).toMatchObject({ schema: { type: 'string', format: 'decimal', default: '1.50' } });
    expect(named('since')).toMatchObject({ schema: { type: 'string', default: 'now-7d' } });
  });

  it('has no default beyond 2^53, which generated clients would send rounded', () => {
    expect(named('big')).toMatchObject({ schema: { type: 'integer' } });
    expect(named('big')).not.toHaveProperty('schema.default');
  });

  it('is an array where it is a list', () => {
    expect(named('ids')).toMatchObject({
      style: 'form',
      explode: true,
      schema: { type: 'array', items: { type: 'integer', minimum: 1 }, default: [1, 2] },
    });
  });

  it('says that it is deprecated, secret, or has choices from another endpoint', () => {
    expect(named('code')).toMatchObject({ deprecated: true, schema: { maxLength: 2, pattern: '^[A-Z]' } });
    expect(named('city')).toMatchObject({ 'x-choices-from': choicesFrom });
    expect(named('token')).toMatchObject({ schema: { format: 'password', writeOnly: true } });
  });

  it('shows no value of a secret parameter, not even the one of the example', () => {
    expect(JSON.stringify(paths)).not.toContain('of-the-file');
  });
});
