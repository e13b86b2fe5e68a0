import {
  AccessGateway,
  keyNamed,
  type AccessGatewayOptions,
  type KeyRights,
} from '../support/access-gateway.js';
import { resultOf } from '../support/fake-run-query.js';
import { outcomeOf } from '../support/network-request.js';
import { delayQueries } from '../support/pending-queries.js';
import { pollUntil } from '../support/poll-until.js';
import { exchange } from '../support/raw-exchange.js';
import { sampleEndpoint } from '../support/sample-endpoint.js';

const REJECTED = '429 LIMIT_EXCEEDED';
const perMinute = (quota: number): { quota: number; window: number } => ({ quota, window: 60 });

const KEYS: KeyRights = {
  three: { limits: { requests: perMinute(3) } },
  threeToo: { limits: { requests: perMinute(3) } },
  rows: { limits: { rowsRead: perMinute(20) } },
  bytes: { limits: { bytesRead: perMinute(150) } },
  time: { limits: { clickhouseMs: perMinute(3) } },
  scoped: { endpoints: ['sample'], limits: { requests: perMinute(10) } },
  one: { limits: { concurrent: 1 } },
  free: {},
};
const url = (city: string, endpoint = 'sample'): string => `/api/endpoints/query/${endpoint}?city=${city}`;

let gateway: AccessGateway;
const open = async (options: AccessGatewayOptions = {}): Promise<void> => {
  gateway = await AccessGateway.open({ keys: KEYS, endpoints: [sampleEndpoint()], ...options });
};
afterEach(() => gateway.close());

const query = async (name: string, city: string): Promise<string> =>
  outcomeOf(await gateway.send(name, url(city)));
const outcome = async (name: string, target: string): Promise<string> =>
  outcomeOf(await gateway.send(name, target));
const queryCount = (): number => gateway.runQuery.requests.length;

const OTHER = sampleEndpoint({ id: '22222222-2222-4333-8444-555555555555', name: 'other' });

describe('a limit on requests', () => {
  beforeEach(() => open({ endpoints: [sampleEndpoint(), OTHER] }));

  it('returns 429, naming the limit and the time to retry', async () => {
    for (const remaining of [2, 1, 0]) {
      const { headers } = await gateway.send('three', url('Rome'));
      expect(headers['ratelimit-policy']).toBe('"requests";q=3;w=60');
      expect(headers['ratelimit']).toMatch(new RegExp(`^"requests";r=${remaining};t=(?:59|60)$`));
      expect(headers['retry-after']).toBeUndefined();
    }
    const rejected = await gateway.send('three', url('Rome'));
    expect(outcomeOf(rejected)).toBe(REJECTED);
    expect(rejected.text).toContain('This key has reached its limit of 3 requests in 60 seconds.');
    expect(rejected.headers['ratelimit-policy']).toBe('"requests";q=3;w=60');
    expect(rejected.headers['ratelimit']).toMatch(/^"requests";r=0;t=(?:59|60)$/);
    expect(rejected.headers['retry-after']).toMatch(/^(?:59|60)$/);
    expect(rejected.headers['cache-control']).toBe('no-store');
  });

  it('counts hits on both paths, HEAD, 304 and invalid requests', async () => {
    expect(await query('free', 'Rome')).toBe('200');
    const tag = String((await gateway.send('free', url('Rome'))).headers.etag);
    expect((await gateway.send('three', url('Rome'), { via: 'fast path' })).headers['x-cache']).toBe('HIT');
    expect((await gateway.send('three', url('Rome'), { method: 'HEAD' })).status).toBe(200);
    expect((await gateway.send('three', url('Rome'), { headers: { 'If-None-Match': tag } })).status).toBe(
      304,
    );
    expect(gateway.servedOnFastPath).toBe(4);
    for (const via of ['fast path', 'slow path'] as const)
      expect(outcomeOf(await gateway.send('three', url('Rome'), { via }))).toBe(REJECTED);
    expect(outcomeOf(await gateway.send('threeToo', '/api/endpoints'))).toBe('200');
    expect(outcomeOf(await gateway.send('threeToo', url('a&city=b')))).toBe('400 INVALID_PARAMETERS');
    expect(outcomeOf(await gateway.send('threeToo', '/api/endpoints/sample'))).toBe('200');
    expect(outcomeOf(await gateway.send('threeToo', '/api/endpoints'))).toBe(REJECTED);
    expect(queryCount()).toBe(1);
  });

  it.each([
    ['a hit on the fast path', '200', url('Rome'), { via: 'fast path' }],
    ['a hit on the slow path', '200', url('Rome'), { via: 'slow path' }],
    ['HEAD', '200', url('Rome'), { method: 'HEAD' }],
    ['HEAD on the slow path', '200', url('Rome'), { method: 'HEAD', via: 'slow path' }],
    ['a miss', '200', url('Oslo'), {}],
    ['an endpoint that the key may not call', '403 FORBIDDEN', url('Rome', 'other'), {}],
    ['an endpoint that does not exist', '404 ENDPOINT_NOT_FOUND', url('Rome', 'nothing'), {}],
    ['the description of one', '404 ENDPOINT_NOT_FOUND', '/api/endpoints/nothing', {}],
    ['a path that does not exist', '404 NOT_FOUND', '/api/nothing', {}],
    ['another method', '405 METHOD_NOT_ALLOWED', url('Rome'), { method: 'DELETE' }],
    ['another method of the list', '405 METHOD_NOT_ALLOWED', '/api/endpoints', { method: 'POST' }],
    ['rejected parameters', '400 INVALID_PARAMETERS', url('a&city=b'), {}],
    ['too many parameters', '400 BAD_REQUEST', url('a&b=c'.repeat(1001)), {}],
    ['an unknown format', '406 NOT_ACCEPTABLE', url('Rome'), { headers: { Accept: 'image/png' } }],
    ['the description of the API', '200', '/openapi.json', {}],
  ] as const)('counts %s once, and reports what is left', async (_what, outcome, target, more) => {
    await query('free', 'Rome');
    await query('free', 'Rome');
    const response = await gateway.send('scoped', target, more);
    expect(outcomeOf(response)).toBe(outcome);
    expect(response.headers['ratelimit']).toMatch(/^"requests";r=9;t=\d+$/);
    expect((await gateway.send('scoped', '/api/endpoints')).headers['ratelimit']).toMatch(/^"requests";r=8;/);
  });

  it('returns 429 even if the request would be rejected otherwise', async () => {
    for (let times = 0; times < 3; times += 1)
      expect(await outcome('three', '/api/nothing')).toBe('404 NOT_FOUND');
    expect(await outcome('three', '/api/nothing')).toBe(REJECTED);
    expect(await outcome('three', url('Rome', 'nothing'))).toBe(REJECTED);
  });

  it('of one key does not affect another key', async () => {
    for (let times = 0; times < 4; times += 1) await query('three', 'Rome');
    expect(await query('three', 'Rome')).toBe(REJECTED);
    expect(await query('threeToo', 'Rome')).toBe('200');
    expect(await query('free', 'Rome')).toBe('200');
  });

  it('allows exactly its quota of a flood', async () => {
    const outcomes = await Promise.all(Array.from({ length: 60 }, (_, n) => query('three', `city${n % 7}`)));
    expect(outcomes.filter((outcome) => outcome === '200')).toHaveLength(3);
    expect(outcomes.filter((outcome) => outcome === REJECTED)).toHaveLength(57);
  });

  it('adds no headers to responses of keys without a limit', async () => {
    const { headers } = await gateway.send('free', url('Rome'));
    expect([headers['ratelimit'], headers['ratelimit-policy']]).toEqual([undefined, undefined]);
  });

  it('does not count a rejected hit as a use of the cached result', async () => {
    for (let times = 0; times < 5; times += 1) await query('three', 'Rome');
    const { HIT, MISS } = gateway.execution.hits.of(sampleEndpoint().id);
    expect({ HIT, MISS }).toEqual({ HIT: 2, MISS: 1 });
  });
});

describe('a limit of an endpoint', () => {
  it('counts all callers together, in addition to the key’s limit, and leaves other endpoints alone', async () => {
    const limited = sampleEndpoint({ limits: { requests: perMinute(4) } });
    await open({ endpoints: [limited, OTHER] });
    const first = await gateway.send('three', url('Rome'));
    expect(first.headers['ratelimit-policy']).toBe('"requests";q=3;w=60, "endpoint-requests";q=4;w=60');
    for (let times = 0; times < 3; times += 1) expect(await query('free', 'Rome')).toBe('200');
    const rejected = await gateway.send('free', url('Rome'));
    expect(outcomeOf(rejected)).toBe(REJECTED);
    expect(rejected.text).toContain('The endpoint sample has reached its limit of 4 requests');
    expect(await query('three', 'Rome')).toBe(REJECTED);
    // A request that the endpoint's limit rejected does not count for the key.
    const elsewhere = await gateway.send('three', url('Rome', 'other'));
    expect(elsewhere.headers['ratelimit']).toMatch(/^"requests";r=1;/);
  });
});

describe('a limit of an endpoint that receives few valid requests', () => {
  const limited = sampleEndpoint({ limits: { requests: perMinute(1) } });

  it('does not count requests of a key that may not call the endpoint', async () => {
    await open({ endpoints: [limited, OTHER], keys: { ...KEYS, others: { endpoints: ['other'] } } });
    expect(await query('others', 'Rome')).toBe('403 FORBIDDEN');
    expect(await query('free', 'Rome')).toBe('200');
    expect(await query('free', 'Rome')).toBe(REJECTED);
    // A key that may not call the endpoint does not learn that the endpoint is at its limit.
    expect(await query('others', 'Rome')).toBe('403 FORBIDDEN');
  });

  it.each([
    '/api/endpoints/query/sample/',
    '/api/endpoints/query/%73ample',
    '/api/endpoints/query\\sample#x',
  ])('is not evaded by %s', async (path) => {
    await open({ endpoints: [limited, OTHER] });
    expect(await query('free', 'Rome')).toBe('200');
    const { port } = new URL(gateway.url());
    const key = `X-API-KEY: ${keyNamed('free')}`;
    const request = `GET ${path} HTTP/1.1\r\nHost: gateway\r\n${key}\r\nConnection: close\r\n\r\n`;
    expect((await exchange(Number(port), request)).map(({ status }) => status)).toEqual([429]);
  });
});

describe('a limit on cost', () => {
  beforeEach(() => open());

  it.each([
    ['rows', 'rows-read', '20 rows read', 2],
    ['bytes', 'bytes-read', '150 bytes read', 2],
    ['time', 'clickhouse-ms', '3 milliseconds of ClickHouse', 2],
  ])(
    'rejects by %s requests that would run a query, and serves hits',
    async (name, header, text, queries) => {
      const cities = Array.from({ length: queries }, (_, n) => `city${n}`);
      for (const city of cities) expect(await query(name, city)).toBe('200');
      const rejected = await gateway.send(name, url('another'));
      expect(outcomeOf(rejected)).toBe(REJECTED);
      expect(rejected.text).toContain(text);
      expect(rejected.headers['ratelimit']).toContain(`"${header}";r=0;t=`);
      expect(Number(rejected.headers['retry-after'])).toBeGreaterThan(50);
      for (const via of ['slow path', 'fast path'] as const)
        for (const city of cities)
          expect(outcomeOf(await gateway.send(name, url(city), { via }))).toBe('200');
      expect(queryCount()).toBe(queries);
      expect(await query('free', 'another')).toBe('200');
      // After another key's request this is a hit.
      expect(await query(name, 'another')).toBe('200');
    },
  );

  it('is charged to the leader’s key, and not to the followers’', async () => {
    const pending = delayQueries(gateway.runQuery);
    const leader = query('rows', 'Rome');
    await pollUntil('the query runs', () => queryCount() === 1 || undefined);
    const joiners = [query('bytes', 'Rome'), query('free', 'Rome')];
    const ending = setInterval(() => {
      pending.finish([]);
    }, 5);
    expect(await Promise.all([leader, ...joiners])).toEqual(['200', '200', '200']);
    clearInterval(ending);
    expect(queryCount()).toBe(1);
    gateway.runQuery.respondWith(() => Promise.resolve(resultOf([])));
    const { headers } = await gateway.send('rows', url('Oslo'));
    expect(headers['ratelimit']).toContain('"rows-read";r=10;');
  });
});

describe('a limit on concurrent queries', () => {
  beforeEach(() => open());

  it('rejects a second query, allows hits, and ends with the query', async () => {
    expect(await query('free', 'cached')).toBe('200');
    const pending = delayQueries(gateway.runQuery);
    const first = query('one', 'Rome');
    await pollUntil('the query runs', () => queryCount() === 2 || undefined);
    const rejected = await gateway.send('one', url('Oslo'));
    expect(outcomeOf(rejected)).toBe(REJECTED);
    expect(rejected.headers['retry-after']).toBe('1');
    expect(rejected.headers['ratelimit-policy']).toBe('"concurrent";q=1;qu="concurrent-requests"');
    expect(await query('one', 'cached')).toBe('200');
    pending.finish([]);
    expect(await first).toBe('200');
    const second = query('one', 'Oslo');
    await pollUntil('the second query runs', () => queryCount() === 3 || undefined);
    pending.finish([]);
    expect(await second).toBe('200');
  });

  it('ends when the client disconnects', async () => {
    delayQueries(gateway.runQuery);
    const controller = new AbortController();
    const disconnected = gateway.send('one', url('Rome'), { signal: controller.signal });
    const failed = expect(disconnected).rejects.toThrow();
    await pollUntil('the query runs', () => queryCount() === 1 || undefined);
    controller.abort();
    await failed;
    gateway.runQuery.returnRows([]);
    await pollUntil('the slot is free', async () => (await query('one', 'Oslo')) === '200' || undefined);
  });
});

describe('a follower of a coalesced query', () => {
  beforeEach(() => open());

  it('does not receive the 429 of the leader', async () => {
    const pending = delayQueries(gateway.runQuery);
    const first = query('one', 'Rome');
    await pollUntil('the query runs', () => queryCount() === 1 || undefined);
    // The first of these requests is over its limit; the follower leads instead.
    const outcomes = Promise.all(['one', 'free', 'three', 'one'].map((name) => query(name, 'Oslo')));
    await pollUntil('the follower’s query runs', () => queryCount() === 2 || undefined);
    pending.finish([]);
    expect(await first).toBe('200');
    const [one, free, three] = await outcomes;
    expect([free, three]).toEqual(['200', '200']);
    // Its request may have arrived before the other's, or joined it.
    expect([REJECTED, '200']).toContain(one);
    expect(queryCount()).toBe(2);
  });
});
