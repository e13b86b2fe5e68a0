import { brotliDecompressSync, gunzipSync } from 'node:zlib';

import { useCachedEndpoint, VARY, PATHS } from '../support/cached-endpoint.js';
import type { Headers, NetworkResponse } from '../support/caching-gateway.js';

const { gateway, cachedUrl } = useCachedEndpoint();
const { clock, runQuery } = gateway;

function decompressed({ headers, body }: NetworkResponse): string {
  if (headers['content-encoding'] === 'br') return brotliDecompressSync(body).toString();
  if (headers['content-encoding'] === 'gzip') return gunzipSync(body).toString();
  return body.toString();
}

describe.each(PATHS)('a cached result, on the %s', (via) => {
  const request = (url: string, headers?: Headers, method?: string): Promise<NetworkResponse> =>
    gateway.send(via, url, headers, method);

  it.each([
    [undefined, 'identity'],
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['identity;q=0', 'identity'],
    [',,;;q=', 'identity'],
  ])('is sent for Accept-Encoding %s as %s', async (accepted, encoding) => {
    const url = await cachedUrl();
    const plain = await request(url);
    const response = await request(url, accepted === undefined ? {} : { 'Accept-Encoding': accepted });
    expect(response.headers['content-encoding'] ?? 'identity').toBe(encoding);
    expect(response.headers['content-length']).toBe(String(response.body.length));
    expect(response.headers.vary).toBe(VARY);
    expect(decompressed(response)).toBe(plain.body.toString());
    if (encoding !== 'identity') expect(response.body.length).toBeLessThan(plain.body.length);
  });

  it('has a strong ETag for each encoding, and the same ETag for the next request', async () => {
    const url = await cachedUrl();
    const tags: unknown[] = [];
    for (const encoding of ['identity', 'gzip', 'br']) {
      const { headers } = await request(url, { 'Accept-Encoding': encoding });
      expect(headers.etag).toMatch(/^"[\w-]{22}(-gzip|-br)?"$/);
      expect((await request(url, { 'Accept-Encoding': encoding })).headers.etag).toBe(headers.etag);
      tags.push(headers.etag);
    }
    expect(new Set(tags).size).toBe(3);
  });

  it.each(['identity', 'gzip', 'br'])(
    'has the bytes and the ETag of the response that filled the cache, as %s',
    async (encoding) => {
      const url = await cachedUrl();
      clock.advance(60);
      const headersOf = { 'Accept-Encoding': encoding };
      const [first, second] = await Promise.all([request(url, headersOf), request(url, headersOf)]);
      const third = await request(url, { 'Accept-Encoding': encoding });
      for (const { headers, body } of [first, second, third]) {
        expect(headers['content-encoding'] ?? 'identity').toBe(encoding);
        expect([headers.etag, body]).toEqual([third.headers.etag, third.body]);
      }
      // Either of the two can arrive first.
      expect([first, second].map(({ headers }) => headers['x-cache'])).toContain('MISS');
      expect(third.headers['x-cache']).toBe('HIT');
    },
  );

  it('has the same ETag after a refresh to the same bytes, and another ETag after a refresh to other bytes', async () => {
    const url = await cachedUrl();
    const { headers: before } = await request(url);
    clock.advance(60);
    const { headers: same } = await request(url);
    expect([same['x-cache'], same.etag]).toEqual(['MISS', before.etag]);
    runQuery.returnRows([{ city: 'other' }]);
    clock.advance(60);
    expect((await request(url)).headers.etag).not.toBe(before.etag);
  });

  it('is not compressed if it is small', async () => {
    const url = await cachedUrl('village');
    const { headers, body } = await request(url, { 'Accept-Encoding': 'br, gzip' });
    expect(headers).not.toHaveProperty('content-encoding');
    expect(headers.vary).toBe(VARY);
    expect(JSON.parse(body.toString())).toHaveProperty('result');
  });

  it.each([
    ['the tag', (tag: string) => tag],
    ['a list with the tag', (tag: string) => `"other", W/"more",${tag} , "last"`],
    ['any tag', () => '*'],
  ])('returns 304 without a body if If-None-Match has %s', async (_what, ifNoneMatch) => {
    const url = await cachedUrl();
    for (const encoding of ['identity', 'gzip', 'br']) {
      const full = await request(url, { 'Accept-Encoding': encoding });
      const response = await request(url, {
        'Accept-Encoding': encoding,
        'If-None-Match': ifNoneMatch(full.headers.etag ?? ''),
      });
      expect([response.status, response.body.length]).toEqual([304, 0]);
      for (const name of ['etag', 'vary', 'cache-control', 'age', 'x-cache', 'cache-status']) {
        expect(response.headers[name]).toBe(full.headers[name]);
      }
      expect(response.headers).not.toHaveProperty('content-encoding');
      expect(response.headers).not.toHaveProperty('content-type');
    }
  });

  it('returns 304 for HEAD as well', async () => {
    const url = await cachedUrl();
    const { etag = '' } = (await request(url)).headers;
    expect(await request(url, { 'If-None-Match': etag }, 'HEAD')).toMatchObject({ status: 304 });
  });

  it.each([
    ['another tag', () => '"other"'],
    ['the tag of another encoding', (tag: string) => tag.replace(/"$/, '-br"')],
  ])('returns 200 with the complete body if If-None-Match has %s', async (_what, ifNoneMatch) => {
    const url = await cachedUrl();
    const full = await request(url);
    const response = await request(url, { 'If-None-Match': ifNoneMatch(full.headers.etag ?? '') });
    expect([response.status, response.body.toString()]).toEqual([200, full.body.toString()]);
  });

  it.each(['identity', 'gzip', 'br'])(
    'returns for HEAD the headers of GET without a body, as %s',
    async (encoding) => {
      const url = await cachedUrl();
      const get = await request(url, { 'Accept-Encoding': encoding, 'X-Request-Id': 'same' });
      const head = await request(url, { 'Accept-Encoding': encoding, 'X-Request-Id': 'same' }, 'HEAD');
      expect(head.body).toHaveLength(0);
      const changing = { date: '', 'server-timing': '' };
      expect({ ...head.headers, ...changing }).toEqual({ ...get.headers, ...changing });
    },
  );
});
