import { column } from '../../src/endpoint/definition.js';
import { defineEndpoint } from '../../src/endpoint/endpoint.js';
import { sql, timestamp } from '../../src/endpoint/index.js';
import { AccessGateway } from '../support/access-gateway.js';
import { openForEach } from '../support/opened.js';

const ENDPOINT = defineEndpoint({
  id: '5d0c4b7e-0f7a-4f0e-9a51-8e2b6f1c3e51',
  name: 'since',
  summary: 'The time that was bound.',
  parameters: {
    since: timestamp({ description: 'From when.', relativeStep: '5m', default: 'now-1h' }),
  },
  columns: { since: column("DateTime64(6, 'UTC')", 'The time.') },
  maxRows: 10,
  caching: 86_400,
  warming: 0,
  sandboxing: 'disabled',
  example: {},
  build: ({ since }) => sql`SELECT ${since} AS since`,
});

describe.each(['slow path', 'fast path'] as const)('a relative time on the %s', (via) => {
  const gateway = openForEach(() => AccessGateway.open({ keys: { reader: {} }, endpoints: [ENDPOINT] }));

  const cacheOf = async (query: string): Promise<unknown> =>
    (await gateway.send('reader', `/api/endpoints/query/since${query}`, { via })).headers['x-cache'];
  const bound = (): readonly unknown[] =>
    gateway.runQuery.requests.map(({ query }) => query.parameters['since']);

  // The clock starts at 10:05:03, three seconds after a step began.
  it.each(['?since=now-1h', ''])(
    'in %j is a cache hit within a step, and a miss with other rows after it',
    async (query) => {
      expect(await cacheOf(query)).toBe('MISS');
      gateway.clock.advance(296);
      expect([await cacheOf(query), await cacheOf(query)]).toEqual(['HIT', 'HIT']);
      gateway.clock.advance(1);
      expect([await cacheOf(query), await cacheOf(query)]).toEqual(['MISS', 'HIT']);
      expect(bound()).toEqual(['2026-05-17 09:05:00.000000', '2026-05-17 09:10:00.000000']);
      expect(gateway.servedOnFastPath > 0).toBe(via === 'fast path');
    },
  );

  it('shares the cached result of the same absolute time', async () => {
    expect(await cacheOf('?since=now-1h')).toBe('MISS');
    expect(await cacheOf('?since=2026-05-17T09:05:00Z')).toBe('HIT');
  });
});
