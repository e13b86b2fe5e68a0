import { sampleEndpoint } from '../support/sample-endpoint.js';
import { createTestGateway, problemOf } from '../support/test-gateway.js';

const ID = 'aaaaaaaa-2222-4333-8444-555555555555';
const { get, runQuery } = await createTestGateway({
  endpoints: [
    sampleEndpoint({ id: ID, name: 'sample' }),
    sampleEndpoint({ id: '11111111-2222-4333-8444-555555555556', name: 'logs-all-staging' }),
  ],
});
runQuery.returnRows([{ city: 'Rome' }]);

describe('an endpoint', () => {
  it.each([
    ['its name', 'sample'],
    ['its id', ID],
    ['its id in upper case', ID.toUpperCase()],
    ['a name of 16 bytes, the length of a binary UUID', 'logs-all-staging'],
    ['its name, percent-encoded', 's%61mple'],
  ])('is found by %s', async (_what, idOrName) => {
    const response = await get(`/api/endpoints/query/${idOrName}`);
    expect([response.status, response.body]).toEqual([200, { result: [{ city: 'Rome' }] }]);
  });

  it.each([
    ['a letter is missing', 'sampe', 'sample'],
    ['two letters are exchanged', 'smaple', 'sample'],
    ['a letter is of another case', 'Sample', 'sample'],
    ['it is nothing like a name', 'orders', undefined],
  ])('is named where a name is misspelt, because %s', async (_what, name, meant) => {
    for (const path of ['/api/endpoints/query/', '/api/endpoints/']) {
      const { detail } = problemOf(await get(path + name));
      if (meant === undefined) expect(detail).not.toContain('did you mean');
      else expect(detail).toContain(`did you mean ${meant}?`);
    }
  });

  it('is not named to a key that may not call it', async () => {
    const principal = { name: 'tenant', endpoints: ['logs-all-staging'], mayBypassCache: false };
    const other = await createTestGateway({
      endpoints: [sampleEndpoint({ id: ID, name: 'sample' })],
      principals: { 'qg_of-a-tenant-key': principal },
    });
    const response = await other
      .agent()
      .get('/api/endpoints/query/sampl')
      .set('X-API-KEY', 'qg_of-a-tenant-key');
    expect(problemOf(response).detail).toBe(
      'No endpoint has this name or id. GET /api/endpoints lists the endpoints.',
    );
  });

  it.each([
    ['a name that no endpoint has', 'simple'],
    ['its name in upper case', 'SAMPLE'],
    ['its id without hyphens', ID.replaceAll('-', '')],
    ['an id that no endpoint has', ID.replace('a', 'b')],
    ['a name with something after it', 'sample%20'],
    ['a name with a null byte', 'sample%00'],
    ['a name of an object’s prototype', '__proto__'],
    ['a path to a parent folder', '..%2f..%2fetc%2fpasswd'],
    ['a very long name', 'x'.repeat(60_000)],
    ['a very long name of escapes', '%41'.repeat(20_000)],
  ])('is not found by %s: 404 ENDPOINT_NOT_FOUND', async (_what, idOrName) => {
    const problem = problemOf(await get(`/api/endpoints/query/${idOrName}`));
    expect(problem).toMatchObject({ status: 404, code: 'ENDPOINT_NOT_FOUND' });
  });

  it.each(['%FF', '%', '%E0%A4', '%C0%AE'])('with the invalid escape %s returns 400', async (name) => {
    const problem = problemOf(await get(`/api/endpoints/query/${name}`));
    expect(problem).toMatchObject({ status: 400, code: 'BAD_REQUEST', problems: [] });
  });

  it.each([
    '/',
    '/api',
    '/api/',
    '/API/endpoints',
    '/api/Endpoints',
    '/api/endpoints/query/a/b',
    '/favicon.ico',
  ])('does not exist at %s: 404 NOT_FOUND', async (url) => {
    expect(problemOf(await get(url))).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  });
});
