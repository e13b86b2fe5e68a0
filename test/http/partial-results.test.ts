import { resultOf } from '../support/fake-run-query.js';
import { createTestGateway, GOOD_CALL, KEY } from '../support/test-gateway.js';

/** A gateway whose cluster has lost a shard. */
async function halfGateway(): ReturnType<typeof createTestGateway> {
  const gateway = await createTestGateway();
  gateway.runQuery.respondWith(() => Promise.resolve({ ...resultOf([{ n: 1 }]), partial: true }));
  return gateway;
}

describe('a partial result', () => {
  it('is marked, and must not be stored', async () => {
    const { get } = await halfGateway();
    const response = await get(GOOD_CALL);
    expect(response.status).toBe(200);
    expect(response.headers).toMatchObject({ 'x-partial': 'true', 'cache-control': 'no-store' });
    expect(response.headers).not.toHaveProperty('age');
    expect(response.headers['cache-status']).toContain('detail=partial');
    expect(response.headers['cache-status']).not.toContain('stored');
  });

  it('is marked for HEAD as well', async () => {
    const { agent } = await halfGateway();
    const marked = await agent().head(GOOD_CALL).set('X-API-KEY', KEY);
    expect([marked.status, marked.headers['x-partial'], marked.text]).toEqual([200, 'true', undefined]);
  });

  it('never returns 304, which would mix partial and complete copies in the client’s cache', async () => {
    const { get } = await halfGateway();
    const tag = (await get(GOOD_CALL)).headers['etag'] ?? '';
    expect(tag).not.toBe('');
    const again = await get(GOOD_CALL).set('If-None-Match', tag);
    expect([again.status, again.headers['x-partial']]).toEqual([200, 'true']);
  });

  it('is logged', async () => {
    const { get, logger } = await halfGateway();
    await get(GOOD_CALL);
    expect((await logger.line('request')).fields).toMatchObject({ partial: true });
  });

  it('is the only kind with the mark', async () => {
    const { get, runQuery, logger } = await createTestGateway();
    runQuery.returnRows([{ n: 1 }]);
    expect((await get(GOOD_CALL)).headers).not.toHaveProperty('x-partial');
    expect((await logger.line('request')).fields['partial']).toBeUndefined();
  });
});
