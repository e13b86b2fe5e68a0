import { createTestGateway, problemOf } from '../support/test-gateway.js';

describe('GET /health/live', () => {
  it('answers 200 without a key, whatever ClickHouse does', async () => {
    const { ask } = await createTestGateway({ isClickHouseUp: () => Promise.resolve(false) });
    const response = await ask().get('/health/live');
    expect([response.status, response.body]).toEqual([200, { status: 'live' }]);
  });
});

describe('GET /health/ready', () => {
  it('answers 200 without a key where ClickHouse answers', async () => {
    const { ask } = await createTestGateway();
    const response = await ask().get('/health/ready');
    expect([response.status, response.body]).toEqual([200, { status: 'ready' }]);
    expect(response.headers['cache-control']).toBe('no-store');
  });

  it('answers 503 with Retry-After where ClickHouse does not answer', async () => {
    const { ask } = await createTestGateway({ isClickHouseUp: () => Promise.resolve(false) });
    const response = await ask().get('/health/ready');
    expect(problemOf(response)).toMatchObject({ status: 503, code: 'CLICKHOUSE_UNREACHABLE' });
    expect(response.headers['retry-after']).toBe('1');
  });

  it('answers 200 with a warning where ClickHouse answers with a full disk', async () => {
    const { ask } = await createTestGateway({ hasFullDisk: () => Promise.resolve(true) });
    const response = await ask().get('/health/ready');
    expect([response.status, response.body]).toEqual([
      200,
      { status: 'ready', warnings: ['The disk of ClickHouse is full: it serves queries, but cannot write.'] },
    ]);
  });

  it('answers 503 that names the disk where ClickHouse does not answer and had a full one', async () => {
    const { ask } = await createTestGateway({
      isClickHouseUp: () => Promise.resolve(false),
      hasFullDisk: () => Promise.resolve(true),
    });
    const response = await ask().get('/health/ready');
    expect(problemOf(response)).toMatchObject({
      code: 'CLICKHOUSE_UNREACHABLE',
      detail: 'ClickHouse does not respond. Its disk was full when it last responded.',
    });
  });

  it('answers 503 while the gateway shuts down', async () => {
    const { ask } = await createTestGateway({ isDraining: () => true });
    const response = await ask().get('/health/ready');
    expect(problemOf(response)).toMatchObject({ status: 503, code: 'SHUTTING_DOWN' });
  });

  it('asks ClickHouse only when it is asked itself', async () => {
    let asked = 0;
    const isClickHouseUp = (): Promise<boolean> => {
      asked += 1;
      return Promise.resolve(true);
    };
    const { ask } = await createTestGateway({ isClickHouseUp });
    await ask().get('/health/live');
    expect(asked).toBe(0);
    await ask().get('/health/ready');
    expect(asked).toBe(1);
  });
});
