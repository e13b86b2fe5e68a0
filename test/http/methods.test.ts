import { createTestGateway, GOOD_CALL, KEY, problemOf } from '../support/test-gateway.js';

const { agent, get, runQuery } = await createTestGateway();
runQuery.returnRows([{ total: 1 }]);

const PATHS = [GOOD_CALL, '/api/endpoints', '/api/endpoints/logs.all', '/health/live', '/health/ready'];

describe('a method', () => {
  it.each(PATHS)('that a path does not have returns 405 with Allow at %s', async (path) => {
    const allow = path === GOOD_CALL ? 'GET, HEAD, POST' : 'GET, HEAD';
    for (const method of ['post', 'put', 'patch', 'delete', 'options', 'trace'] as const) {
      if (allow.includes(method.toUpperCase())) continue;
      const response = await agent()[method](path).set('X-API-KEY', KEY);
      expect(problemOf(response)).toMatchObject({ status: 405, code: 'METHOD_NOT_ALLOWED' });
      expect(response.headers['allow']).toBe(allow);
    }
  });

  it('that is rejected runs no query', async () => {
    const gateway = await createTestGateway();
    await gateway.agent().put(GOOD_CALL).set('X-API-KEY', KEY).send({ project: 'a' });
    expect(gateway.runQuery.requests).toEqual([]);
  });

  it.each(PATHS)('HEAD returns the headers of GET and no body at %s', async (path) => {
    const head = await agent().head(path).set('X-API-KEY', KEY);
    const response = await get(path);
    expect([head.status, head.text]).toEqual([200, undefined]);
    const same = ['content-type', 'content-length', 'x-row-count', 'cache-control'];
    for (const name of same) expect(head.headers[name]).toBe(response.headers[name]);
  });

  it('HEAD returns the status of a failure and no body', async () => {
    const response = await agent().head('/api/endpoints/query/nothing').set('X-API-KEY', KEY);
    expect([response.status, response.text]).toEqual([404, undefined]);
    expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8');
  });
});
