import { column } from '../../src/endpoint/definition.js';
import { defineEndpoint, type Endpoint } from '../../src/endpoint/endpoint.js';
import { resultOf } from '../support/fake-run-query.js';
import { SAMPLE, sampleEndpoint } from '../support/sample-endpoint.js';
import { createTestGateway, problemOf, type TestGateway } from '../support/test-gateway.js';

const METRICS = defineEndpoint({
  ...SAMPLE,
  columns: { name: column('String', 'Its name.'), value: column('UInt64', 'Its value.') },
});
const URL = '/api/endpoints/query/sample?format=prometheus';
/** As Prometheus sends it. */
const ACCEPT = 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1';

async function open(endpoint: Endpoint): Promise<TestGateway> {
  const gateway = await createTestGateway({ endpoints: [endpoint] });
  gateway.runQuery.respondWith(() => Promise.resolve({ ...resultOf([]), body: Buffer.from('up 1\n\n') }));
  return gateway;
}

describe('format=prometheus', () => {
  it('has the media type that Prometheus reads, and the bytes of the query', async () => {
    const { get, runQuery } = await open(METRICS);
    const response = await get(URL).set('Accept', ACCEPT);
    expect([response.status, response.text]).toEqual([200, 'up 1\n\n']);
    expect(response.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(runQuery.onlyRequest.representation?.name).toBe('prometheus');
  });

  it('is 406 that names the missing column, without a query', async () => {
    const { get, runQuery } = await open(sampleEndpoint());
    expect(problemOf(await get(URL))).toMatchObject({
      ...{ status: 406, code: 'NOT_ACCEPTABLE' },
      detail: 'prometheus needs a column name, String, which the result does not have.',
    });
    expect(runQuery.requests).toEqual([]);
  });

  it('is never chosen by Accept', async () => {
    const { get, runQuery } = await createTestGateway({ endpoints: [METRICS] });
    expect((await get('/api/endpoints/query/sample').set('Accept', ACCEPT)).status).toBe(200);
    expect(runQuery.onlyRequest.representation?.name).toBe('json');
    expect((await get('/api/endpoints/query/sample').set('Accept', 'text/plain')).status).toBe(406);
  });

  it.each([
    [METRICS, true],
    [sampleEndpoint(), false],
  ])('is in OpenAPI where the endpoint has the columns', async (endpoint, isThere) => {
    const { get } = await open(endpoint);
    const { body } = (await get('/openapi.json')) as { readonly body: { readonly paths: object } };
    const call = JSON.stringify((body.paths as Record<string, unknown>)['/api/endpoints/query/sample']);
    expect([call.includes('"prometheus"'), call.includes('"text/plain"')]).toEqual([isThere, isThere]);
  });
});
