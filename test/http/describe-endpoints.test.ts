import { mayBeEmpty, type Parameter } from '../../console/src/model/endpoint.js';
import { sampleEndpoint } from '../support/sample-endpoint.js';
import { SHIPPED_ENDPOINTS } from '../support/shipped-endpoints.js';
import { createTestGateway, problemOf } from '../support/test-gateway.js';

interface Resource {
  readonly limit?: number;
  readonly tables?: boolean;
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly query: string;
  readonly parameters: readonly Parameter[];
  readonly columns: readonly { readonly name: string }[];
}

const REDIRECT_FILTERS = ['event_name', 'country', 'device', 'language', 'referrer', 'utm_key', 'utm_value'];

const { get } = await createTestGateway();
const list = async (): Promise<readonly Resource[]> =>
  ((await get('/api/endpoints')).body as { readonly result: readonly Resource[] }).result;
const one = async (idOrName: string): Promise<Resource> =>
  (await get(`/api/endpoints/${idOrName}`)).body as Resource;

describe('GET /api/endpoints', () => {
  it('lists the endpoints by name', async () => {
    const response = await get('/api/endpoints');
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(Object.keys(response.body as object)).toEqual(['result']);
    const names = (await list()).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['gateway.requests', ...Object.keys(SHIPPED_ENDPOINTS)]));
    expect(names).toEqual(names.toSorted());
  });

  it('has the limit of the endpoints whose queries end with one, and of no other', async () => {
    const limited = (await list()).filter(({ limit }) => limit !== undefined);
    expect(limited).toMatchObject([{ name: 'logs.all', limit: 100, maxRows: 1000 }]);
  });

  it('says which endpoints are tables, of which the shipped ones are none', async () => {
    expect((await list()).filter(({ tables }) => tables === true)).toEqual([]);
    const { get: getTable } = await createTestGateway({ endpoints: [sampleEndpoint({ tables: true })] });
    expect((await getTable('/api/endpoints/sample')).body).toMatchObject({ tables: true });
  });
});

describe('GET /api/endpoints?tag=TAG', () => {
  const tagged = createTestGateway({
    endpoints: [
      sampleEndpoint(),
      sampleEndpoint({
        id: '11111111-2222-4333-8444-000000000001',
        name: 'first',
        tags: ['usage', 'rest-api'],
      }),
      sampleEndpoint({ id: '11111111-2222-4333-8444-000000000002', name: 'second', tags: ['usage'] }),
    ],
  });
  const found = async (query: string): Promise<readonly string[]> => {
    const response = await (await tagged).get(`/api/endpoints?${query}`);
    return (response.body as { readonly result: readonly Resource[] }).result.map(({ name }) => name);
  };

  it('returns the tags of each endpoint, and an empty array for an endpoint without tags', async () => {
    const { body } = (await (await tagged).get('/api/endpoints')) as { body: { result: Resource[] } };
    expect(body.result.map(({ tags }) => tags)).toEqual([['usage', 'rest-api'], [], ['usage']]);
  });

  it.each([
    ['tag=usage', ['first', 'second']],
    ['tag=rest-api&other=1', ['first']],
    ['tag=rest%2Dapi', ['first']],
    ['tag=Usage', []],
    ['tag=nothing', []],
    ['tag=', []],
    ['other=usage', ['first', 'sample', 'second']],
  ])('lists for %s the endpoints %j', async (query, names) => {
    expect(await found(query)).toEqual(names);
  });

  it.each([
    ['tag=usage&tag=rest-api', 'is given 2 times; it may be given once'],
    ['tag=%FF', 'is not valid percent-encoded UTF-8'],
  ])('returns 400 for %s', async (query, problem) => {
    const response = problemOf(await (await tagged).get(`/api/endpoints?${query}`));
    expect(response).toMatchObject({
      status: 400,
      code: 'INVALID_PARAMETERS',
      problems: [{ param: 'tag', problem }],
    });
  });
});

describe('GET /api/endpoints/ID_OR_NAME', () => {
  it('returns the settings, parameters and columns of usage.api-counts', async () => {
    expect(await one('usage.api-counts')).toMatchObject({
      id: 'c5a3f2b9-1f6e-4a57-8d94-2b7f8f0e3c44',
      name: 'usage.api-counts',
      description: 'Requests per API (REST, storage, auth, realtime) in time buckets.',
      maxRows: 1000,
      caching: 900,
      warming: 300,
      sandboxing: 'disabled',
      parameters: [
        { name: 'project', required: true },
        { name: 'interval', required: true, choices: ['minutely', 'hourly', 'daily'] },
      ],
      columns: [
        { name: 'timestamp' },
        { name: 'total_rest_requests' },
        { name: 'total_storage_requests' },
        { name: 'total_auth_requests' },
        { name: 'total_realtime_requests' },
      ],
    });
  });

  it.each([
    ['functions.invocation-stats', ['interval']],
    ['logs.all', ['project_tier']],
    ['usage.api-counts', []],
    ['get-grouped-stats-redirects', [...REDIRECT_FILTERS]],
  ])(
    'describes for %s by kind and empty where a form must distinguish an empty text',
    async (name, names) => {
      const { parameters } = await one(name);
      expect(parameters.filter(mayBeEmpty).map((parameter) => parameter.name)).toEqual(names);
    },
  );

  it('returns “disabled” if results are not cached', async () => {
    expect(await one('logs.all')).toMatchObject({ caching: 'disabled', warming: 0 });
  });

  it('lists the nine source kinds that logs.all defines', async () => {
    const { query } = await one('logs.all');
    const tables = [...query.matchAll(/FROM (\w+_logs)\b/g)].map(([, table]) => table);
    expect(new Set(tables).size).toBe(9);
    expect(query).toMatch(/LIMIT 100$/);
  });

  it('returns the same resource by name, by id and by upper-case id, equal to the one in the list', async () => {
    for (const resource of await list()) {
      expect(await one(resource.name)).toEqual(resource);
      expect(await one(resource.id)).toEqual(resource);
      expect(await one(resource.id.toUpperCase())).toEqual(resource);
    }
  });

  it.each(['nothing', 'query', '__proto__', '8f0c7f5e-3a8d-4c55-9a0e-000000000000'])(
    'returns 404 for %s',
    async (idOrName) => {
      const problem = problemOf(await get(`/api/endpoints/${idOrName}`));
      expect(problem).toMatchObject({ status: 404, code: 'ENDPOINT_NOT_FOUND' });
    },
  );
});
