import { brotliDecompressSync, gunzipSync } from 'node:zlib';

import { FORMAT_NAMES } from '../../../src/gateway/formats/formats.js';
import { sharedRedisUrl } from '../../support/test-redis.js';
import { ExportingGateway, KEYS, MOST_ROWS } from '../../support/exporting-gateway.js';
import { openForAll } from '../../support/opened.js';

const gateway = openForAll(() => ExportingGateway.open());

let requests = 0;
const newId = (): string => `export-${process.pid}-${(requests += 1)}`;

/** The cost differs between two queries. */
const withoutCost = (body: Buffer): string => body.toString('latin1').replace(/,"statistics":.*/, '');

describe('an export', () => {
  it.each(FORMAT_NAMES.flatMap((format) => [0, 1, 50].map((n) => [format, n] as const)))(
    'as %s has the bytes of a result with the same %d rows',
    async (format, n) => {
      for (const options of ['', '&csv_safe=1', '&download=1', '&numbers=text']) {
        const call = `rows?n=${n}&format=${format}${options}`;
        const result = await gateway.receive(call);
        const exported = await gateway.receive(`${call}&export=1`);
        expect([result.status, exported.status, exported.isComplete]).toEqual([200, 200, true]);
        expect(withoutCost(exported.body)).toBe(withoutCost(result.body));
        expect(exported.headers['content-type']).toBe(result.headers['content-type']);
      }
    },
  );

  it('has unix times where the caller prefers them', async () => {
    const headers = { Prefer: 'timestamps=unix-micros' };
    const result = await gateway.receive('rows?n=5', { headers });
    const exported = await gateway.receive('rows?n=5&export=1', { headers });
    expect(exported.body.toString()).toBe(result.body.toString());
    expect(exported.headers['preference-applied']).toBe('timestamps=unix-micros');
  });

  it('has all rows beyond the row cap, and says in a trailer how many', async () => {
    const { body, trailers, headers, isComplete } = await gateway.receive(
      'rows?n=300000&format=ndjson&export=1',
    );
    const lines = body.toString().trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { n: number }).n)).toEqual(
      Array.from({ length: 300_000 }, (_, n) => n),
    );
    expect(isComplete).toBe(true);
    expect(trailers['x-row-count']).toBe('300000');
    expect(headers).toMatchObject({
      'x-cache': 'BYPASS',
      'cache-control': 'no-store',
      'transfer-encoding': 'chunked',
      trailer: 'X-Row-Count',
      'accept-ranges': 'none',
    });
    expect(headers['content-length']).toBeUndefined();
    expect(headers.etag).toBeUndefined();
  });

  it.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const)('is compressed with %s as it is sent', async (encoding, decompress) => {
    const call = 'rows?n=20000&format=csv&export=1';
    const plain = await gateway.receive(call);
    const packed = await gateway.receive(call, { headers: { 'Accept-Encoding': encoding } });
    expect(packed.headers['content-encoding']).toBe(encoding);
    expect(packed.trailers['x-row-count']).toBe('20000');
    expect(decompress(packed.body).equals(plain.body)).toBe(true);
  });

  it('by POST has the rows of a GET', async () => {
    const headers = { 'Content-Type': 'application/json' };
    const posted = await gateway.receive('rows?format=csv&export=1', {
      method: 'POST',
      headers,
      body: '{"n": 200}',
    });
    const got = await gateway.receive('rows?n=200&format=csv&export=1');
    expect(posted.body.equals(got.body)).toBe(true);
    expect(posted.trailers['x-row-count']).toBe('200');
  });

  it('is neither cached nor served from the cache, and has no parts', async () => {
    await gateway.receive('rows?n=7');
    for (const headers of [{}, { Range: 'bytes=0-3' }, { 'If-None-Match': '*' }]) {
      const { status, headers: sent } = await gateway.receive('rows?n=7&export=1', { headers });
      expect([status, sent['x-cache'], sent['cache-status']]).toEqual([
        200,
        'BYPASS',
        'querygate; fwd=bypass; detail=export',
      ]);
    }
    const onlyCached = await gateway.receive('rows?n=7&export=1', {
      headers: { 'Cache-Control': 'only-if-cached' },
    });
    expect(onlyCached.status).toBe(504);
    const ofHead = await gateway.receive('rows?n=7&export=1', {
      method: 'HEAD',
      headers: { 'Cache-Control': 'only-if-cached' },
    });
    expect(ofHead.status).toBe(504);
  });

  it('of HEAD has the headers, no body and no length, and runs no query', async () => {
    const requestId = newId();
    const headers = { 'X-Request-Id': requestId };
    const {
      status,
      headers: sent,
      body,
    } = await gateway.receive('rows?n=7&failing=1&export=1&format=csv', {
      method: 'HEAD',
      headers,
    });
    expect([status, sent['content-type'], sent['content-length'], body.length]).toEqual([
      200,
      'text/csv; charset=utf-8; header=present',
      undefined,
      0,
    ]);
    expect(await gateway.logged(requestId)).not.toHaveProperty('clickhouseMs', expect.any(Number));
  });

  it('is in the log with its cost where limits are shared through Redis', async () => {
    const sharing = await ExportingGateway.open({ REDIS_URL: sharedRedisUrl() });
    try {
      const requestId = newId();
      const headers = { 'X-Request-Id': requestId };
      await sharing.receive('few?n=9&format=csv&export=1', { key: KEYS.limited, headers });
      expect(await sharing.logged(requestId)).toMatchObject({
        rows: 9,
        exportedBytes: expect.any(Number) as number,
        clickhouseMs: expect.any(Number) as number,
        waitingMs: expect.any(Number) as number,
      });
    } finally {
      await sharing.close();
    }
  });

  it('is in the log and in the metrics with its rows, bytes and seconds', async () => {
    const requestId = newId();
    const { body } = await gateway.receive('few?n=9&format=csv&export=1', {
      headers: { 'X-Request-Id': requestId },
    });
    expect(await gateway.logged(requestId)).toMatchObject({
      status: 200,
      rows: 9,
      exportedBytes: body.length,
      cache: 'BYPASS',
      clickhouseMs: expect.any(Number) as number,
    });
    const metrics = await (await fetch(`${gateway.gateway.adminUrl ?? ''}/metrics`)).text();
    expect(metrics).toContain('querygate_export_rows_total{endpoint="few"} 9\n');
    expect(metrics).toContain(`querygate_export_bytes_total{endpoint="few"} ${body.length}\n`);
    expect(metrics).toContain('querygate_export_seconds_count{endpoint="few"} 1\n');
    expect(metrics).toContain('querygate_exports_running 0\n');
  });
});

describe('exports at the same time', () => {
  it('wait for each other, and no other query waits for them', async () => {
    const busy = await ExportingGateway.open({
      MAX_CONCURRENT_EXPORTS: '1',
      MAX_CONCURRENT_QUERIES: '1',
      QUEUE_TIMEOUT_SECONDS: '0.1',
    });
    try {
      let second: number | undefined;
      const others: number[] = [];
      await busy.receive(`rows?n=${MOST_ROWS}&format=csv&export=1`, {
        beforeBody: async (stop) => {
          second = (await busy.receive('rows?n=3&export=1')).status;
          // One after the other: two at once would wait for each other's place.
          others.push((await busy.receive('rows?n=3')).status);
          others.push((await busy.receive('none?n=4')).status);
          stop();
        },
      });
      expect([second, others]).toEqual([503, [200, 200]]);
    } finally {
      await busy.close();
    }
  });
});
