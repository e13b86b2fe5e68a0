import { BYPASS_KEY, CachingGateway, type Headers, type RequestPath } from '../support/caching-gateway.js';
import { resultOf } from '../support/fake-run-query.js';
import { pollUntil } from '../support/poll-until.js';
import { exchange } from '../support/raw-exchange.js';
import { sampleEndpoint } from '../support/sample-endpoint.js';
import { KEY } from '../support/test-gateway.js';

const CACHED = sampleEndpoint({ name: 'cached', caching: 60, staleIfError: 600 });
const UNCACHED = sampleEndpoint({
  id: '22222222-2222-4333-8444-555555555555',
  name: 'uncached',
  caching: 'disabled',
});
const URL = '/api/endpoints/query/cached?city=Rome';

/** Runs a test's body with a gateway whose local cache has the result of URL. */
async function withHit(use: (gateway: CachingGateway) => Promise<void>): Promise<void> {
  const gateway = new CachingGateway([CACHED, UNCACHED]);
  gateway.runQuery.respondWith(() =>
    Promise.resolve(resultOf(Array.from({ length: 200 }, (_, row) => ({ row })))),
  );
  await gateway.listen();
  try {
    await gateway.send('slow path', URL);
    gateway.clock.advance(10);
    await use(gateway);
  } finally {
    await gateway.close();
  }
}

/** Copies are compressed after the first response. */
const untilCompressed = (gateway: CachingGateway): Promise<true> =>
  pollUntil('the compressed copies are stored', async () => {
    gateway.servedOnFastPath = 0;
    for (const encoding of ['gzip', 'br'])
      await gateway.send('fast path', URL, { 'Accept-Encoding': encoding });
    return gateway.servedOnFastPath === 2 || undefined;
  });

describe('a hit on the fast path', () => {
  it.each<[string, Headers, string]>([
    ['no other header', {}, 'GET'],
    ['the key as a bearer', { 'X-API-KEY': '', Authorization: `Bearer ${KEY}` }, 'GET'],
    ['a key that may bypass the cache', { 'X-API-KEY': BYPASS_KEY }, 'GET'],
    ['HEAD', {}, 'HEAD'],
    ['Accept: */*', { Accept: '*/*' }, 'GET'],
    ['Accept: application/json', { Accept: 'application/json' }, 'GET'],
    ['axios’ Accept', { Accept: 'application/json, text/plain, */*' }, 'GET'],
    ['a Content-Type', { 'Content-Type': 'application/json' }, 'GET'],
    ['gzip', { 'Accept-Encoding': 'gzip' }, 'GET'],
    ['brotli', { 'Accept-Encoding': 'gzip, deflate, br' }, 'GET'],
    ['brotli, HEAD', { 'Accept-Encoding': 'gzip, deflate, br' }, 'HEAD'],
    ['q-values', { 'Accept-Encoding': 'br;q=0.1, gzip;q=0.5, *;q=0' }, 'GET'],
    ['no encoding at all', { 'Accept-Encoding': '*;q=0' }, 'GET'],
    ['any tag', { 'If-None-Match': '*' }, 'GET'],
    ['any tag, HEAD', { 'If-None-Match': '*' }, 'HEAD'],
    ['another tag', { 'If-None-Match': '"other"' }, 'GET'],
  ])('has the same status, headers and bytes as on the slow path: %s', async (_what, headers, method) => {
    await withHit(async (gateway) => {
      await untilCompressed(gateway);
      const response = await gateway.sendOnBothPaths(URL, headers, method);
      expect(response.headers['x-cache']).toBe('HIT');
      expect(gateway.servedOnFastPath).toBe(3);
    });
  });

  it('has the head of its own request and second, whatever the hits of the result before it had', async () => {
    await withHit(async (gateway) => {
      await untilCompressed(gateway);
      const ignoring = `${URL}&x=1`;
      await gateway.send('slow path', ignoring);
      const { headers } = await gateway.send('fast path', URL);
      const requests: [path: string, headers: Headers, method?: string][] = [
        [URL, {}],
        [URL, {}],
        [ignoring, {}],
        [URL, {}, 'HEAD'],
        [URL, { 'Accept-Encoding': 'br' }],
        [URL, { 'Accept-Encoding': 'gzip' }],
        [URL, { 'If-None-Match': String(headers.etag) }],
        [URL, {}],
      ];
      const heads = async (via: RequestPath): Promise<readonly object[]> => {
        const received: object[] = [];
        for (const [path, sent, method] of requests) {
          const response = await gateway.send(via, path, { 'X-Request-Id': 'same', ...sent }, method);
          received.push({ ...response, headers: { ...response.headers, date: '', 'server-timing': '' } });
        }
        return received;
      };
      const slow = await heads('slow path');
      expect([await heads('fast path'), await heads('fast path')]).toEqual([slow, slow]);
      gateway.clock.advance(1);
      const fast = await heads('fast path');
      expect(fast).toEqual(await heads('slow path'));
    });
  });

  it.each([
    ['a caller’s Cache-Control', { 'Cache-Control': 'max-age=0' }],
    ['Accept with q-values', { Accept: 'application/json;q=0.9, text/html' }],
    ['an Accept that excludes JSON', { Accept: 'text/html' }],
    ['an Accept-Encoding that is too large', { 'Accept-Encoding': 'br,'.repeat(1400) }],
    ['no key', { 'X-API-KEY': '' }],
    ['an unknown key', { 'X-API-KEY': 'qg_unknown' }],
    [
      'an unknown key together with a valid bearer',
      { 'X-API-KEY': 'qg_unknown', Authorization: `Bearer ${KEY}` },
    ],
  ])('falls back to the slow path with the same response: %s', async (_what, headers) => {
    await withHit(async (gateway) => {
      await gateway.sendOnBothPaths(URL, headers);
      expect(gateway.servedOnFastPath).toBe(0);
    });
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('does not happen for %s', async (method) => {
    await withHit(async (gateway) => {
      await gateway.sendOnBothPaths(URL, {}, method);
      expect(gateway.servedOnFastPath).toBe(0);
    });
  });

  it('does not happen for a request without Host, which returns 400', async () => {
    await withHit(async (gateway) => {
      const bytes = `GET ${URL} HTTP/1.1\r\nX-API-KEY: ${KEY}\r\nConnection: close\r\n\r\n`;
      for (const via of ['slow path', 'fast path'] as const) {
        const [response] = await exchange(gateway.port(via), bytes);
        expect(response?.status).toBe(400);
      }
    });
  });

  it('does not happen once the result has expired, and happens again after a refresh', async () => {
    await withHit(async (gateway) => {
      gateway.clock.advance(50);
      expect((await gateway.send('fast path', URL)).headers['x-cache']).toBe('MISS');
      expect(gateway.servedOnFastPath).toBe(0);
      expect((await gateway.send('fast path', URL)).headers['x-cache']).toBe('HIT');
      expect(gateway.servedOnFastPath).toBe(1);
    });
  });

  it('does not happen for a purged result', async () => {
    await withHit(async (gateway) => {
      await gateway.store.purge({ endpointId: CACHED.id });
      expect((await gateway.send('fast path', URL)).headers['x-cache']).toBe('MISS');
    });
  });

  it('does not happen for another spelling of the URL until the slow path has served that spelling', async () => {
    await withHit(async (gateway) => {
      const otherSpelling = `/api/endpoints/query/${CACHED.id}?x=1&city=%52ome`;
      expect((await gateway.send('fast path', otherSpelling)).headers['x-cache']).toBe('HIT');
      expect(gateway.servedOnFastPath).toBe(0);
      await gateway.sendOnBothPaths(otherSpelling);
      expect(gateway.servedOnFastPath).toBe(1);
    });
  });

  it('does not happen for an endpoint without caching, however many requests there are', async () => {
    await withHit(async (gateway) => {
      const url = '/api/endpoints/query/uncached?city=Rome';
      for (let sent = 0; sent < 3; sent += 1) await gateway.sendOnBothPaths(url);
      expect(gateway.servedOnFastPath).toBe(0);
      expect(gateway.runQuery.requests).toHaveLength(1 + 6);
    });
  });

  it('runs no query, and counts as a use of the parameter set', async () => {
    await withHit(async (gateway) => {
      await gateway.send('fast path', URL);
      expect(gateway.runQuery.requests).toHaveLength(1);
      expect(gateway.statuses).toEqual(['MISS', 'HIT']);
    });
  });

  it('writes the same log line and counts the same metrics', async () => {
    await withHit(async (gateway) => {
      gateway.logger.lines.splice(0);
      await gateway.sendOnBothPaths(URL);
      const lines = gateway.logger.lines.map(({ level, message, fields }) => ({
        level,
        message,
        ...fields,
        totalMs: expect.any(Number) as number,
        gatewayMs: expect.any(Number) as number,
      }));
      expect(lines).toHaveLength(2);
      expect(lines[1]).toEqual(lines[0]);
      expect(lines[0]).toMatchObject({
        status: 200,
        cache: 'HIT',
        key: 'tester',
        endpoint: 'cached',
        rows: 200,
      });
      const metrics = await gateway.metrics.registry.metrics();
      expect(metrics).toContain('querygate_requests_total{endpoint="cached",status="200",cache="HIT"} 2');
    });
  });
});
