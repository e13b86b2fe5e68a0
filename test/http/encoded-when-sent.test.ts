import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { randomBytes } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

import { useCachedEndpoint } from '../support/cached-endpoint.js';
import { resultOf } from '../support/fake-run-query.js';
import { KEY } from '../support/test-gateway.js';

const { gateway, newRequest } = useCachedEndpoint();
const { runQuery, logger } = gateway;
const DECOMPRESS = { gzip: gunzipSync, br: brotliDecompressSync };

// More than one slice of those that are compressed in turn.
const ROWS = Array.from({ length: 9000 }, (_, row) => ({ city: 'Rome', row }));
const url = (): string => newRequest('city', 'uncached');

describe('the result of an endpoint that is not cached', () => {
  it('has a weak ETag over the bytes that equal rows share, so that 304 is possible', async () => {
    let cost = 0;
    runQuery.respondWith(() => {
      cost += 1;
      return Promise.resolve({
        ...resultOf([]),
        body: Buffer.from(`{"rows":[],"cost":${cost}}`),
        equalBytes: 11,
      });
    });
    const first = await gateway.send('slow path', url());
    const second = await gateway.send('slow path', url());
    expect(second.body).not.toEqual(first.body);
    expect(second.headers.etag).toBe(first.headers.etag);
    expect(first.headers.etag).toMatch(/^W\/"[\w-]{22}"$/);
    const tag = first.headers.etag ?? '';
    expect((await gateway.send('slow path', url(), { 'If-None-Match': tag })).status).toBe(304);
    expect((await gateway.send('slow path', url(), { 'If-Match': tag })).status).toBe(412);
  });
});

describe.each(['gzip', 'br'] as const)('the result of an endpoint that is not cached, as %s', (encoding) => {
  const accepting = { 'Accept-Encoding': encoding };

  it('is compressed as it is sent, with the level and the ETag of a cached result', async () => {
    runQuery.returnRows(ROWS);
    const plain = await gateway.send('slow path', url());
    const { status, headers, body } = await gateway.send('slow path', url(), accepting);
    expect([status, headers['content-encoding']]).toEqual([200, encoding]);
    expect(headers).not.toHaveProperty('content-length');
    expect(DECOMPRESS[encoding](body)).toEqual(plain.body);
    const cached = await gateway.send('slow path', newRequest(), accepting);
    expect([headers.etag, body]).toEqual([cached.headers.etag, cached.body]);
  });

  it('is compressed where it is partial, although the endpoint is cached', async () => {
    runQuery.respondWith(() => Promise.resolve({ ...resultOf(ROWS), partial: true }));
    const { headers, body } = await gateway.send('slow path', newRequest(), accepting);
    expect([headers['content-encoding'], headers['x-partial']]).toEqual([encoding, 'true']);
    expect(DECOMPRESS[encoding](body)).toEqual(resultOf(ROWS).body);
  });

  it('is 304 where If-None-Match names these bytes', async () => {
    runQuery.returnRows(ROWS);
    const tag = (await gateway.send('slow path', url(), accepting)).headers.etag ?? '';
    const again = await gateway.send('slow path', url(), { ...accepting, 'If-None-Match': tag });
    expect([again.status, again.headers.etag, again.body.length]).toEqual([304, tag, 0]);
  });

  it('has the headers without a body for HEAD', async () => {
    runQuery.returnRows(ROWS);
    const { status, headers, body } = await gateway.send('slow path', url(), accepting, 'HEAD');
    expect([status, headers['content-encoding'], body.length]).toEqual([200, encoding, 0]);
  });

  it.each([
    ['a small one', '', [{ n: 1 }]],
    ['Parquet, which is compressed already', '&format=parquet', ROWS],
  ])('is not compressed again: %s', async (_what, format, rows) => {
    runQuery.returnRows(rows);
    const { headers, body } = await gateway.send('slow path', `${url()}${format}`, accepting);
    expect(headers).not.toHaveProperty('content-encoding');
    expect(headers['content-length']).toBe(String(body.length));
  });

  it('is logged with 499 where the client disconnects before its end', async () => {
    // Random, so that the compressed body does not fit into the buffers of the connection.
    runQuery.returnRows([{ text: randomBytes(20_000_000).toString('base64') }]);
    logger.lines.length = 0;
    const outgoing = request({
      port: gateway.port('slow path'),
      path: url(),
      headers: { 'X-API-KEY': KEY, ...accepting },
    }).end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    outgoing.on('error', () => undefined);
    response.on('error', () => undefined);
    await once(response, 'data');
    response.destroy();
    const { fields } = await logger.line('request');
    expect([fields['status'], fields['code']]).toEqual([499, undefined]);
  });
});
