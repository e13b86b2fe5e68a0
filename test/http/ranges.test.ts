import { PATHS, useCachedEndpoint } from '../support/cached-endpoint.js';
import type { NetworkResponse } from '../support/caching-gateway.js';
import { resultOf } from '../support/fake-run-query.js';

const { gateway, cachedUrl, newRequest } = useCachedEndpoint();
const { clock, runQuery } = gateway;

describe.each(PATHS)('a range of a cached result, on the %s', (via) => {
  const send = (
    url: string,
    headers: Record<string, string> = {},
    method?: string,
  ): Promise<NetworkResponse> => gateway.send(via, url, headers, method);

  it('is a part of the bytes, with the headers of the whole', async () => {
    const url = await cachedUrl();
    const whole = await send(url);
    const part = await send(url, { Range: 'bytes=10-19' });
    expect([part.status, part.body]).toEqual([206, whole.body.subarray(10, 20)]);
    expect(part.headers).toMatchObject({
      'content-range': `bytes 10-19/${whole.body.length}`,
      'content-length': '10',
      'accept-ranges': 'bytes',
      'x-cache': 'HIT',
      'content-type': whole.headers['content-type'],
      'x-row-count': whole.headers['x-row-count'],
      etag: whole.headers.etag,
      vary: whole.headers.vary,
      'cache-control': whole.headers['cache-control'],
    });
  });

  it('puts together to the whole result', async () => {
    const url = await cachedUrl();
    const { body } = await send(url);
    const parts: Buffer[] = [];
    for (let first = 0; first < body.length; first += 1000) {
      parts.push((await send(url, { Range: `bytes=${first}-${first + 999}` })).body);
    }
    expect(Buffer.concat(parts)).toEqual(body);
  });

  it('has no encoding, although the client accepts one', async () => {
    const url = await cachedUrl();
    const { body } = await send(url);
    const part = await send(url, { Range: 'bytes=-5', 'Accept-Encoding': 'gzip, br' });
    expect([part.status, part.body]).toEqual([206, body.subarray(-5)]);
    expect(part.headers).not.toHaveProperty('content-encoding');
  });

  it('is the whole result for a client that accepts only an encoding', async () => {
    const response = await send(await cachedUrl(), {
      Range: 'bytes=0-1',
      'Accept-Encoding': 'gzip, identity;q=0',
    });
    expect([response.status, response.headers['content-encoding']]).toEqual([200, 'gzip']);
  });

  it.each(['bytes=0-1,4-5', 'rows=0-1', 'bytes=5-4', 'bytes=x'])(
    'is the whole result for Range: %s',
    async (range) => {
      const response = await send(await cachedUrl(), { Range: range });
      expect([response.status, response.headers['content-range']]).toEqual([200, undefined]);
    },
  );

  it('is RANGE_NOT_SATISFIABLE (416) with the length where it begins after the end', async () => {
    const url = await cachedUrl();
    const { body } = await send(url);
    const response = await send(url, { Range: `bytes=${body.length}-` });
    expect([response.status, response.headers['content-range']]).toEqual([416, `bytes */${body.length}`]);
    expect(JSON.parse(response.body.toString())).toMatchObject({ code: 'RANGE_NOT_SATISFIABLE' });
  });

  it('is a part of the result that If-Range and If-Match name', async () => {
    const url = await cachedUrl();
    const tag = (await send(url)).headers.etag ?? '';
    for (const precondition of ['If-Range', 'If-Match']) {
      expect((await send(url, { Range: 'bytes=0-1', [precondition]: tag })).status).toBe(206);
    }
  });

  it('is the whole of the new result where If-Range names another', async () => {
    const url = await cachedUrl();
    const stale = (await send(url)).headers.etag ?? '';
    clock.advance(61);
    runQuery.returnRows([{ city: 'new', row: 1 }]);
    const response = await send(url, { Range: 'bytes=0-1', 'If-Range': stale });
    expect([response.status, response.body.toString()]).toEqual([200, '{"result":[{"city":"new","row":1}]}']);
    expect(response.headers.etag).not.toBe(stale);
  });

  it.each([{}, { Range: 'bytes=0-1' }, { Range: 'bytes=9999999-' }, { 'If-None-Match': '*' }])(
    'and the whole are PRECONDITION_FAILED (412) where If-Match names another result, with %j',
    async (headers) => {
      const url = await cachedUrl();
      const response = await send(url, { ...headers, 'If-Match': '"other"' });
      expect(response.status).toBe(412);
      expect(JSON.parse(response.body.toString())).toMatchObject({ code: 'PRECONDITION_FAILED' });
    },
  );

  it('is never a continuation of other bytes: If-Match or If-Range of an encoding gets the whole in it', async () => {
    const url = await cachedUrl();
    const accepting = { 'Accept-Encoding': 'gzip' };
    const tag = (await send(url, accepting)).headers.etag ?? '';
    expect(tag).toContain('-gzip');
    for (const precondition of ['If-Range', 'If-Match']) {
      const response = await send(url, { ...accepting, Range: 'bytes=0-1', [precondition]: tag });
      expect([response.status, response.headers.etag]).toEqual([200, tag]);
    }
  });

  it('is 304 where If-None-Match names the result', async () => {
    const url = await cachedUrl();
    const tag = (await send(url)).headers.etag ?? '';
    expect((await send(url, { Range: 'bytes=0-1', 'If-None-Match': tag })).status).toBe(304);
  });

  it('has no effect on HEAD, which says that ranges are possible', async () => {
    const url = await cachedUrl();
    const { body } = await send(url);
    const head = await send(url, { Range: 'bytes=0-1' }, 'HEAD');
    expect([head.status, head.headers['content-length'], head.headers['accept-ranges']]).toEqual([
      200,
      String(body.length),
      'bytes',
    ]);
  });

  it('is the whole of a body without bytes, because no rows are no mistake of the client', async () => {
    const url = `${newRequest()}&format=ndjson`;
    runQuery.respondWith(() => Promise.resolve({ ...resultOf([]), body: Buffer.alloc(0) }));
    const response = await send(url, { Range: 'bytes=0-' });
    expect([response.status, response.body.length]).toEqual([200, 0]);
  });

  it('causes a query that is cached where nothing is', async () => {
    const url = newRequest();
    const part = await send(url, { Range: 'bytes=0-1' });
    expect([part.status, part.headers['x-cache'], part.body.toString()]).toEqual([206, 'MISS', '{"']);
    expect((await send(url, { Range: 'bytes=0-1' })).headers['x-cache']).toBe('HIT');
  });

  it('is the whole result of an endpoint that is not cached', async () => {
    const response = await send(newRequest('city', 'uncached'), { Range: 'bytes=0-1' });
    expect([response.status, response.headers['accept-ranges']]).toEqual([200, 'none']);
    expect(response.headers).not.toHaveProperty('content-range');
  });

  it('is the whole result where the result is too large for the cache', async () => {
    const url = newRequest();
    runQuery.returnRows([{ city: 'x'.repeat(gateway.store.maxEntryBytes), row: 1 }]);
    const response = await send(url, { Range: 'bytes=0-1' });
    expect([response.status, response.headers['accept-ranges']]).toEqual([200, 'none']);
  });
});
