import { createTestGateway, problemOf } from '../support/test-gateway.js';

describe('GET /health/live', () => {
  it('returns 200 without a key, whatever the state of ClickHouse', async () => {
    const { agent } = await createTestGateway({ isClickHouseUp: () => Promise.resolve(false) });
    const response = await agent().get('/health/live');
    expect([response.status, response.body]).toEqual([200, { status: 'live' }]);
  });
});

describe('GET /health/ready', () => {
  it.each(['/health/ready', '/health'])(
    'returns 200 at %s without a key if ClickHouse responds',
    async (at) => {
      const { agent } = await createTestGateway();
      const response = await agent().get(at);
      expect([response.status, response.body]).toEqual([200, { status: 'ready' }]);
      expect(response.headers['cache-control']).toBe('no-store');
    },
  );

  it('returns 503 with Retry-After if ClickHouse does not respond', async () => {
    const { agent } = await createTestGateway({ isClickHouseUp: () => Promise.resolve(false) });
    const response = await agent().get('/health/ready');
    expect(problemOf(response)).toMatchObject({ status: 503, code: 'CLICKHOUSE_UNREACHABLE' });
    expect(response.headers['retry-after']).toBe('1');
  });

  it('returns 200 with a warning if ClickHouse responds and its disk is full', async () => {
    const { agent } = await createTestGateway({ hasFullDisk: () => Promise.resolve(true) });
    const response = await agent().get('/health/ready');
    expect([response.status, response.body]).toEqual([
      200,
      { status: 'ready', warnings: ['The disk of ClickHouse is full: it serves queries, but cannot write.'] },
    ]);
  });

  it.each([
    [172_800, '172800 seconds ahead of'],
    [-31, '31 seconds behind'],
  ])('returns 200 with a warning if its clock is %s seconds ahead of ClickHouse', async (seconds, text) => {
    const { agent } = await createTestGateway({ aheadSeconds: () => seconds });
    const response = await agent().get('/health/ready');
    expect([response.status, response.body]).toEqual([
      200,
      { status: 'ready', warnings: [expect.stringContaining(text)] },
    ]);
  });

  it('returns 503 naming the disk if ClickHouse does not respond and its disk was full', async () => {
    const { agent } = await createTestGateway({
      isClickHouseUp: () => Promise.resolve(false),
      hasFullDisk: () => Promise.resolve(true),
    });
    const response = await agent().get('/health/ready');
    expect(problemOf(response)).toMatchObject({
      code: 'CLICKHOUSE_UNREACHABLE',
      detail: 'ClickHouse does not respond. Its disk was full when it last responded.',
    });
  });

  it('returns 503 while the gateway shuts down', async () => {
    const { agent } = await createTestGateway({ isDraining: () => true });
    const response = await agent().get('/health/ready');
    expect(problemOf(response)).toMatchObject({ status: 503, code: 'SHUTTING_DOWN' });
  });

  it('pings ClickHouse only for a request', async () => {
    let pings = 0;
    const isClickHouseUp = (): Promise<boolean> => {
      pings += 1;
      return Promise.resolve(true);
    };
    const { agent } = await createTestGateway({ isClickHouseUp });
    await agent().get('/health/live');
    expect(pings).toBe(0);
    await agent().get('/health/ready');
    expect(pings).toBe(1);
  });
});
