import { column } from '../../../src/endpoint/definition.js';
import { defineEndpoint } from '../../../src/endpoint/endpoint.js';
import { sql } from '../../../src/endpoint/sql.js';
import { openAccessOnClickHouse } from '../../support/access-on-clickhouse.js';
import { outcomeOf, rowsIn, type NetworkResponse } from '../../support/network-request.js';
import { pollUntil } from '../../support/poll-until.js';
import { SAMPLE, sampleEndpoint } from '../../support/sample-endpoint.js';
import { openForAll } from '../../support/opened.js';

/** Occupies its slot until its caller disconnects, three seconds at most. */
const SLOW = defineEndpoint({
  ...SAMPLE,
  id: '22222222-2222-4333-8444-555555555555',
  name: 'slow',
  columns: { n: column('UInt64', 'A number.') },
  build: () => sql`SELECT number AS n FROM numbers(3) WHERE sleepEachRow(1) = 0`,
});
const SLOW_URL = '/api/endpoints/query/slow';
const city = (name: string): string => `/api/endpoints/query/sample?city=${name}`;

const opened = openForAll(() =>
  openAccessOnClickHouse({
    keys: { a: {}, b: {}, c: {} },
    more: [sampleEndpoint(), SLOW],
    environment: { MAX_CONCURRENT_QUERIES: '1', MAX_QUEUED_QUERIES: '2' },
  }),
);

const waiting = (count: number): Promise<unknown> =>
  pollUntil(`${count} queries wait`, async () => (await opened.gateway.waiting()) === count || undefined);
/** Resolves once requests that were sent before have reached the gateway. */
const untilOthersArrived = (): Promise<NetworkResponse> => opened.gateway.send('b', '/api/endpoints');

it('returns a follower’s rows when the queue sheds queries of the leader’s lane', async () => {
  const { gateway } = opened;
  const controller = new AbortController();
  const p1 = gateway.send('a', SLOW_URL, { signal: controller.signal }).catch(() => undefined);
  await pollUntil('p1 runs', () => gateway.execution.pool.figures.servers[0]?.running === 1 || undefined);
  const p2 = gateway.send('a', city('p2'));
  await waiting(1);
  const p3 = gateway.send('a', city('p3'));
  await waiting(2);
  const follower = gateway.send('b', city('p3'));
  await untilOthersArrived();
  // The queue is full, and A has more queries in it than any other lane: the queue sheds one of A's for C.
  const joiner = gateway.send('c', city('p4'));
  expect(outcomeOf(await p2)).toBe('503 GATEWAY_BUSY');
  controller.abort();
  await p1;
  expect(rowsIn(await follower)).toEqual([{ city: 'p3' }]);
  expect([outcomeOf(await p3), outcomeOf(await joiner)]).toEqual(['200', '200']);
});
