import request from 'supertest';

import { McpOnClickHouse } from '../support/mcp-on-clickhouse.js';
import { outcomeOf } from '../support/network-request.js';
import { pollUntil } from '../support/poll-until.js';
import { openForAll } from '../support/opened.js';

const opened = openForAll(() => McpOnClickHouse.open());

it('a call that an operator cancels returns 503, and ClickHouse no longer runs its query', async () => {
  const requestId = 'slow-report';
  const { gateway } = opened;
  const startedAt = performance.now();
  const waiting = gateway.send('caller', '/api/endpoints/query/slow?city=a&seconds=60', {
    headers: { 'X-Request-Id': requestId },
  });
  const runs = (count: number): Promise<unknown> =>
    pollUntil(
      `${count} queries run`,
      async () => (await opened.running(requestId)) === count || undefined,
      10_000,
    );
  await runs(1);
  expect((await request(gateway.admin).get('/calls')).body).toMatchObject({
    calls: [{ id: requestId, endpoint: 'slow', key: 'caller', parameters: { city: 'a', seconds: '60' } }],
  });
  await request(gateway.admin).post(`/calls/${requestId}/cancel`).expect(200, { cancelled: requestId });
  expect(outcomeOf(await waiting)).toBe('503 CALL_CANCELLED');
  await runs(0);
  // The time limit of the query would have ended it after 20 seconds.
  expect(performance.now() - startedAt).toBeLessThan(18_000);
});
