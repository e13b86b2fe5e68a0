import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';

import { QueryMeter } from '../../../../src/gateway/clickhouse/query-meter.js';
import { requireRows } from '../../../../src/gateway/clickhouse/require-rows.js';

const TEXT = 'Code: 202. DB::Exception: Too many queries. (TOO_MANY_SIMULTANEOUS_QUERIES) (version 26.7.2.1)';
const GZIP = gzipSync(TEXT);

const respond = (body: Buffer): Promise<unknown> => {
  const head = {
    statusCode: 503,
    headers: { 'content-encoding': 'gzip', 'retry-after': '7' },
  };
  const response = Object.assign(Readable.from([body]), head) as unknown as IncomingMessage;
  return requireRows(response, new QueryMeter());
};

describe('requireRows', () => {
  it.each([
    ['is empty', Buffer.alloc(0)],
    ['is cut', gzipSync('Service unavailable').subarray(0, -9)],
    ['is not gzip', Buffer.from('Service unavailable')],
  ])('says when to retry where a proxy’s body in gzip %s', async (_how, body) => {
    const details = { retryAfterSeconds: 7 };
    await expect(respond(body)).rejects.toMatchObject({ code: 'CLICKHOUSE_UNAVAILABLE', details });
  });

  it.each([
    ['complete', GZIP],
    ['without its end', GZIP.subarray(0, -8)],
  ])('reads an exception in gzip that is %s', async (_how, body) => {
    await expect(respond(body)).rejects.toMatchObject({ code: '202' });
  });
});
