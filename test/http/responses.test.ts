import { createTestGateway, GOOD_CALL } from '../support/test-gateway.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const { get, agent, runQuery } = await createTestGateway();
runQuery.returnRows([
  { b: 1, a: 'É' },
  { b: null, a: '' },
]);

describe('a response', () => {
  it('has the rows under result and nothing else, in UTF-8', async () => {
    const response = await get(GOOD_CALL);
    expect(response.status).toBe(200);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(response.text)).toEqual({
      result: [
        { b: 1, a: 'É' },
        { b: null, a: '' },
      ],
    });
    expect(response.text).toMatch(/^\{"result":\[\{"b":1,"a":/);
  });

  it('without rows is an empty list', async () => {
    const empty = await createTestGateway();
    const response = await empty.get(GOOD_CALL);
    expect(response.text).toBe('{"result":[]}');
    expect(response.headers['x-row-count']).toBe('0');
  });

  it('has headers with the number of rows, and X-Truncated: false for a complete result', async () => {
    const { headers } = await get(GOOD_CALL);
    expect(headers['x-row-count']).toBe('2');
    expect(headers).not.toHaveProperty('x-truncated');
  });

  it('has X-Truncated: true if there are more rows', async () => {
    const truncated = await createTestGateway();
    truncated.runQuery.returnRows([{ a: 1 }], true);
    const { headers } = await truncated.get(GOOD_CALL);
    expect([headers['x-row-count'], headers['x-truncated']]).toEqual(['1', 'true']);
  });

  it('is made by a query for one row more than the endpoint’s row cap', async () => {
    const gateway = await createTestGateway();
    await gateway.get(GOOD_CALL);
    await gateway.get('/api/endpoints/query/logs.all?project=a');
    const caps = gateway.runQuery.requests.map((r) => [r.rowCap, r.query.parameters['row_limit']]);
    expect(caps).toEqual([
      [1000, 1001],
      [100, 101],
    ]);
  });
});

describe('X-Request-Id', () => {
  it.each(['req-1', 'a.b:c@d=e+f/g~h_i', '0'.repeat(128)])('is the caller’s own: %s', async (id) => {
    const gateway = await createTestGateway();
    const response = await gateway.get(GOOD_CALL).set('X-Request-Id', id);
    expect(response.headers['x-request-id']).toBe(id);
    expect(gateway.runQuery.onlyRequest.requestId).toBe(id);
  });

  it.each(['', 'a b', "x'; DROP TABLE logs --", '<script>', 'é', 'x'.repeat(129), 'a, b'])(
    'is a new one if the caller’s is not plain: %j',
    async (id) => {
      const gateway = await createTestGateway();
      const response = await gateway.get(GOOD_CALL).set('X-Request-Id', id);
      expect(response.headers['x-request-id']).toMatch(UUID);
      expect(gateway.runQuery.onlyRequest.requestId).toBe(response.headers['x-request-id']);
    },
  );

  it.each(['/health/live', '/api/endpoints', '/nothing', '/api/endpoints/query/%FF'])(
    'is part of every response: %s',
    async (url) => {
      expect((await agent().get(url)).headers['x-request-id']).toMatch(UUID);
      expect((await get(url)).headers['x-request-id']).toMatch(UUID);
    },
  );
});

describe('the security headers', () => {
  it.each([GOOD_CALL, '/api/endpoints', '/api/endpoints/query/nothing', '/health/live', '/nothing'])(
    'are part of every response: %s',
    async (url) => {
      const { headers } = await get(url);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none';frame-ancestors 'none'",
        'x-frame-options': 'SAMEORIGIN',
        'referrer-policy': 'no-referrer',
      });
      expect(headers).not.toHaveProperty('x-powered-by');
      expect(headers).not.toHaveProperty('set-cookie');
    },
  );
});
