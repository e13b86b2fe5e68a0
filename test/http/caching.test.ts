import { Failure } from '../../src/gateway/errors.js';
import { useCachedEndpoint, VARY, PATHS } from '../support/cached-endpoint.js';
import { BYPASS_KEY, type Headers, type NetworkResponse } from '../support/caching-gateway.js';
import { resultOf } from '../support/fake-run-query.js';
import { pollUntil } from '../support/poll-until.js';
import { problemOfText } from '../support/problem-of-text.js';

const { gateway, respondAsUsual, newRequest, cachedUrl } = useCachedEndpoint();
const { clock, runQuery } = gateway;

describe.each(PATHS)('a cached result, on the %s', (via) => {
  const request = (url: string, headers?: Headers, method?: string): Promise<NetworkResponse> =>
    gateway.send(via, url, headers, method);

  it('has headers that say that it is a hit, its age and its remaining lifetime', async () => {
    const url = await cachedUrl();
    clock.advance(17.9);
    const { status, headers } = await request(url);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'x-cache': 'HIT',
      'cache-status': 'querygate; hit; ttl=42',
      age: '17',
      'cache-control': 'private, max-age=42',
      vary: VARY,
      'content-type': 'application/json; charset=utf-8',
      'x-row-count': '200',
    });
  });

  it('is a hit until it expires, and not a millisecond longer', async () => {
    const url = await cachedUrl();
    clock.advance(59.999);
    expect((await request(url)).headers).toMatchObject({
      'x-cache': 'HIT',
      'cache-control': 'private, max-age=0',
    });
    clock.advance(0.001);
    expect((await request(url)).headers).toMatchObject({
      'x-cache': 'MISS',
      'cache-status': 'querygate; fwd=stale; stored; ttl=60',
      age: '0',
      'cache-control': 'private, max-age=60',
    });
  });

  it.each(['no-cache', 'only-if-cached', 'no-store', 'max-age=0'])(
    'is a hit for a key that may not bypass the cache and sends Cache-Control: %s',
    async (directive) => {
      const url = await cachedUrl();
      const { status, headers } = await request(url, { 'Cache-Control': directive });
      expect([status, headers['x-cache']]).toEqual([200, 'HIT']);
    },
  );

  it.each(['no-cache', 'NO-CACHE', 'max-age=0, no-cache'])(
    'is refreshed and replaced for a key that may bypass the cache and sends Cache-Control: %s',
    async (directive) => {
      const url = await cachedUrl();
      clock.advance(10);
      runQuery.returnRows([{ city: 'newer' }]);
      const fresh = await request(url, { 'X-API-KEY': BYPASS_KEY, 'Cache-Control': directive });
      expect(fresh.headers).toMatchObject({
        'x-cache': 'BYPASS',
        'cache-status': 'querygate; fwd=request; stored; ttl=60',
        age: '0',
      });
      const next = await request(url);
      expect(next.headers).toMatchObject({ 'x-cache': 'HIT', age: '0', etag: fresh.headers.etag });
      expect(next.body.toString()).toBe('{"result":[{"city":"newer"}]}');
    },
  );

  it('is a hit for only-if-cached while it is fresh; afterwards the status is 504', async () => {
    const url = await cachedUrl();
    const headers = { 'X-API-KEY': BYPASS_KEY, 'Cache-Control': 'only-if-cached' };
    const before = runQuery.requests.length;
    expect((await request(url, headers)).headers['x-cache']).toBe('HIT');
    clock.advance(60);
    const response = await request(url, headers);
    expect(problemOfText(response)).toMatchObject({ status: 504, code: 'NOT_CACHED' });
    expect(response.headers['cache-control']).toBe('no-store');
    expect(runQuery.requests).toHaveLength(before);
  });

  it('is served marked as stale, with its true age, while ClickHouse fails', async () => {
    const url = await cachedUrl();
    const { headers: before, body } = await request(url);
    runQuery.fail(new Failure('CLICKHOUSE_UNREACHABLE', 'Away.'));
    clock.advance(60 + 599);
    const stale = await request(url);
    expect(stale.headers).toMatchObject({
      'x-cache': 'STALE',
      'cache-status': 'querygate; hit; ttl=-599; detail=stale-if-error',
      age: '659',
      'cache-control': 'private, max-age=0',
      etag: before.etag,
    });
    expect(stale.body.equals(body)).toBe(true);
    clock.advance(1);
    expect(problemOfText(await request(url))).toMatchObject({ status: 503, code: 'CLICKHOUSE_UNREACHABLE' });
  });

  it('is not returned without a valid key', async () => {
    const url = await cachedUrl();
    for (const key of ['', 'qg_unknown', `${BYPASS_KEY}x`]) {
      const response = await request(url, { 'X-API-KEY': key });
      expect(response.status).toBe(401);
      expect(response.headers['cache-control']).toBe('no-store');
      expect(response.headers).not.toHaveProperty('etag');
      expect(response.headers).not.toHaveProperty('x-cache');
    }
  });
});

describe.each(PATHS)('the result of an endpoint without caching, on the %s', (via) => {
  it('must not be stored, and runs a query for each request', async () => {
    const url = newRequest('city', 'uncached');
    const before = runQuery.requests.length;
    for (const time of [1, 2]) {
      const { headers } = await gateway.send(via, url);
      expect(headers).toMatchObject({
        'x-cache': 'BYPASS',
        'cache-status': 'querygate; fwd=bypass',
        'cache-control': 'no-store',
        vary: VARY,
      });
      expect(headers).not.toHaveProperty('age');
      expect(runQuery.requests).toHaveLength(before + time);
    }
  });

  it('returns 504 for only-if-cached', async () => {
    const headers = { 'X-API-KEY': BYPASS_KEY, 'Cache-Control': 'only-if-cached' };
    const response = await gateway.send(via, newRequest('city', 'uncached'), headers);
    expect(problemOfText(response)).toMatchObject({ status: 504, code: 'NOT_CACHED' });
  });
});

describe('an error', () => {
  it.each([
    ['400', '/api/endpoints/query/cached?city=a&city=b', {}],
    ['401', '/api/endpoints/query/cached?city=a', { 'X-API-KEY': '' }],
    ['404', '/api/endpoints/query/nothing', {}],
    ['406', '/api/endpoints/query/cached?city=a', { Accept: 'text/html' }],
  ])('of status %s must not be stored', async (status, url, headers) => {
    for (const via of PATHS) {
      const response = await gateway.send(via, url, headers);
      expect([String(response.status), response.headers['cache-control']]).toEqual([status, 'no-store']);
      expect(response.headers).not.toHaveProperty('etag');
    }
  });

  it('of ClickHouse is not cached by the gateway', async () => {
    const url = newRequest();
    runQuery.fail(new Failure('CLICKHOUSE_FAILED', 'Failed.'));
    const response = await gateway.send('slow path', url);
    expect([response.status, response.headers['cache-control']]).toEqual([502, 'no-store']);
    respondAsUsual();
    expect((await gateway.send('slow path', url)).headers['x-cache']).toBe('MISS');
  });
});

describe('concurrent identical requests', () => {
  it('share one query, and the followers’ Cache-Status says collapsed', async () => {
    const url = newRequest();
    const before = runQuery.requests.length;
    let end: (() => void) | undefined;
    runQuery.respondWith(async () => {
      await new Promise<void>((resolve) => (end = resolve));
      return resultOf([]);
    });
    const arrived = gateway.arrived;
    const requests = PATHS.flatMap((via) => [1, 2, 3].map(() => gateway.send(via, url)));
    await pollUntil('all requests have arrived', () => gateway.arrived === arrived + 6 || undefined);
    await new Promise((resolve) => setImmediate(resolve));
    end?.();
    const responses = await Promise.all(requests);
    expect(runQuery.requests).toHaveLength(before + 1);
    const statuses = responses.map(({ headers }) => headers['cache-status']);
    expect(new Set(statuses)).toEqual(
      new Set(['querygate; fwd=miss; stored; ttl=60', 'querygate; fwd=miss; stored; collapsed; ttl=60']),
    );
  });
});
