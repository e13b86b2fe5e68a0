import { AccessGateway } from '../support/access-gateway.js';
import { outcomeOf } from '../support/network-request.js';
import { delayQueries } from '../support/pending-queries.js';
import { pollUntil } from '../support/poll-until.js';
import { sampleEndpoint } from '../support/sample-endpoint.js';

const URL_OF_ROME = '/api/endpoints/query/sample?city=Rome';

let gateway: AccessGateway;
const open = async (environment: Readonly<Record<string, string>> = {}): Promise<void> => {
  gateway = await AccessGateway.open({
    keys: { caller: {}, other: {} },
    endpoints: [sampleEndpoint({ caching: 60, staleIfError: 600 })],
    environment,
  });
};
afterEach(() => gateway.close());

const request = (target = URL_OF_ROME, prefer = '', name = 'caller') =>
  gateway.send(name, target, { headers: prefer === '' ? {} : { Prefer: prefer } });
const untilQueried = (count: number): Promise<unknown> =>
  pollUntil(`${count} queries run`, () => gateway.runQuery.requests.length >= count || undefined);

describe('Prefer: wait', () => {
  beforeEach(() => open());

  it('returns 504 after that time, and cancels the query if no other caller waits', async () => {
    delayQueries(gateway.runQuery);
    const startedAt = performance.now();
    const response = await request(URL_OF_ROME, 'wait=1');
    const took = performance.now() - startedAt;
    expect(outcomeOf(response)).toBe('504 WAIT_OVER');
    expect(response.headers['preference-applied']).toBe('wait=1');
    expect(response.text).toContain('within the 1 seconds');
    expect(took).toBeGreaterThan(950);
    expect(gateway.runQuery.onlyRequest.signal.aborted).toBe(true);
  });

  it('does not cancel the query for other callers', async () => {
    const pending = delayQueries(gateway.runQuery);
    const patient = request();
    await untilQueried(1);
    expect(outcomeOf(await request(URL_OF_ROME, 'wait=0'))).toBe('504 WAIT_OVER');
    expect(gateway.runQuery.onlyRequest.signal.aborted).toBe(false);
    pending.finish([]);
    expect(outcomeOf(await patient)).toBe('200');
  });

  it('returns a stale result instead of 504, if there is one', async () => {
    await request();
    gateway.clock.advance(70);
    delayQueries(gateway.runQuery);
    const response = await request(URL_OF_ROME, 'wait=0');
    expect(outcomeOf(response)).toBe('200');
    expect(response.headers).toMatchObject({ 'x-cache': 'STALE', 'preference-applied': 'wait=0' });
  });

  it('is confirmed in Preference-Applied if the result is in time, for a hit as well', async () => {
    for (const status of ['MISS', 'HIT']) {
      const { headers } = await request(URL_OF_ROME, 'respond-async, wait=5');
      expect(headers).toMatchObject({ 'x-cache': status, 'preference-applied': 'wait=5' });
    }
  });

  it.each(['wait', 'wait=', 'wait=-1', 'wait=1.5', 'wait=soon', 'wait=99999999999', 'return=minimal', ','])(
    'is ignored if invalid: %s',
    async (prefer) => {
      const response = await request(URL_OF_ROME, prefer);
      expect(outcomeOf(response)).toBe('200');
      expect(response.headers['preference-applied']).toBeUndefined();
    },
  );

  it('of a billion seconds does not end at once', async () => {
    const pending = delayQueries(gateway.runQuery);
    const waiting = request(URL_OF_ROME, 'wait=999999999');
    await untilQueried(1);
    pending.finish([]);
    expect(outcomeOf(await waiting)).toBe('200');
  });
});

describe('the queue', () => {
  const city = (name: string): string => `/api/endpoints/query/sample?city=${name}`;

  it('that is full returns 503 with Retry-After, or a stale result if there is one, and always serves hits', async () => {
    await open({ MAX_CONCURRENT_QUERIES: '1', MAX_QUEUED_QUERIES: '1' });
    await request(city('stale'));
    gateway.clock.advance(70);
    await request(city('fresh'));
    const pending = delayQueries(gateway.runQuery);
    const running = request(city('running'));
    await untilQueried(3);
    const waiting = request(city('waiting'));
    await pollUntil('one query waits', async () => (await gateway.waiting()) === 1 || undefined);
    const rejected = await request(city('rejected'));
    expect(outcomeOf(rejected)).toBe('503 GATEWAY_BUSY');
    expect(rejected.headers['retry-after']).toBe('1');
    expect((await request(city('stale'))).headers['x-cache']).toBe('STALE');
    expect((await request(city('fresh'))).headers['x-cache']).toBe('HIT');
    pending.finish([]);
    await untilQueried(4);
    pending.finish([]);
    expect([outcomeOf(await running), outcomeOf(await waiting)]).toEqual(['200', '200']);
  });

  it('neither rejects nor delays one key’s single request because of another key’s flood', async () => {
    await open({ MAX_CONCURRENT_QUERIES: '2', MAX_QUEUED_QUERIES: '20' });
    const order: string[] = [];
    const pending = delayQueries(gateway.runQuery);
    const flood = Array.from({ length: 40 }, (_, n) =>
      request(city(`flood${n}`)).then((response) => {
        order.push(outcomeOf(response));
      }),
    );
    await pollUntil('the flood is queued', async () => (await gateway.waiting()) === 20 || undefined);
    const single = request(city('single'), '', 'other').then((response) => {
      order.push(`single ${outcomeOf(response)}`);
    });
    await pollUntil('a query of the flood was rejected for it', () => order.length === 19 || undefined);
    const ending = setInterval(() => {
      pending.finish([]);
    }, 5);
    await Promise.all([...flood, single]);
    clearInterval(ending);
    const served = order.filter((outcome) => outcome !== '503 GATEWAY_BUSY');
    expect(order.length - served.length).toBe(19);
    // Two queries ran already, and one lane may come first.
    expect(served.indexOf('single 200')).toBeGreaterThanOrEqual(0);
    expect(served.indexOf('single 200')).toBeLessThan(6);
  });

  it('does not delay a no-cache request behind the warming refresh of its result', async () => {
    const endpoint = sampleEndpoint({ caching: 60, warming: 20 });
    gateway = await AccessGateway.open({
      keys: { caller: { mayBypassCache: true } },
      endpoints: [{ ...endpoint, warm: [{ city: 'Rome' }, { city: 'Oslo' }] }],
      // Two of three slots may refresh sets that may be slow; sets of unknown duration count as slow.
      environment: { MAX_CONCURRENT_QUERIES: '2', WARM_CONCURRENCY: '3', WARM_BUDGET: '2' },
    });
    const pending = delayQueries(gateway.runQuery);
    const round = gateway.execution.warmer.tick();
    await untilQueried(1);
    // Warming does not use the last slot, so the second refresh waits.
    await pollUntil('a refresh waits', async () => (await gateway.waiting()) === 1 || undefined);
    const running = gateway.runQuery.onlyRequest.query.parameters['city'];
    const queued = running === 'Rome' ? 'Oslo' : 'Rome';
    const response = gateway.send('caller', city(queued), { headers: { 'Cache-Control': 'no-cache' } });
    await untilQueried(2);
    expect(gateway.runQuery.requests[1]?.requestId).not.toMatch(/^warming-/);
    expect(await gateway.waiting()).toBe(1);
    pending.finish([]);
    expect(outcomeOf(await response)).toBe('200');
    await untilQueried(3);
    pending.finish([]);
    await round;
  });
});
