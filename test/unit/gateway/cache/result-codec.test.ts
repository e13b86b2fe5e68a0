import { createHash } from 'node:crypto';
import { brotliDecompressSync, gzipSync } from 'node:zlib';

import { decodeResult, encodeResult } from '../../../../src/gateway/cache/result-codec.js';
import { pendingBodies } from '../../../../src/gateway/query/encode-bodies.js';
import { OPERATORS } from '../../../../src/endpoint/figures.js';
import { sampleKey, sampleResult } from '../../../support/sample-result.js';

const KEY = sampleKey('a query');
const RESULT = sampleResult({ createdAt: 1_700_000_000_000 });

/** The layout of format 4. */
function formatFour(): Buffer {
  const prefix = Buffer.from(`QGR417000000000001700000060000${KEY.hash}`);
  const header = Buffer.from(
    '{"createdAt":1700000000000,"expiresAt":1700000060000,"digest":"abcdefghijklmnopqrstuv","rowCount":24,' +
      '"truncated":true,"cost":{"rowsRead":123456789,"bytesRead":9007199254740991,"clickhouseMs":12.25},' +
      '"lengths":{"identity":6,"gzip":2,"br":1}}',
  );
  const bodies = Buffer.from([0, 255, 10, 13, 195, 40, 31, 139, 7]);
  const rest = Buffer.concat([Buffer.of(0, 0, 0, header.length), header, bodies]);
  const checksum = createHash('sha256').update(prefix).update(rest).digest().subarray(0, 16);
  return Buffer.concat([prefix, checksum, rest]);
}

describe('the layout of a cached result', () => {
  // Another layout needs another SHARED_FORMAT: gateways of two versions share a Redis during an upgrade.
  it('is that of format 4', () => {
    const decoded = decodeResult(KEY, formatFour());
    expect(decoded).toEqual(RESULT);
    expect(decoded?.cost.readBy(OPERATORS)).toEqual(RESULT.cost.readBy(OPERATORS));
    const written = encodeResult(KEY, RESULT);
    expect(written.subarray(0, 94)).toEqual(formatFour().subarray(0, 94));
    expect(decodeResult(KEY, written)).toEqual(decodeResult(KEY, formatFour()));
    expect(written).toHaveLength(formatFour().length);
  });

  it('has the last row of a page, whose cursor other gateways make', () => {
    const page = sampleResult({ createdAt: 1_700_000_000_000, lastRow: ['61', null, ''] });
    expect(decodeResult(KEY, encodeResult(KEY, page))).toEqual(page);
  });

  it('has the encodings that are ready, and tells that others can be made', async () => {
    const body = Buffer.alloc(2000, 'a row ');
    const gzip = gzipSync(body);
    const stored = sampleResult({ createdAt: 1_700_000_000_000, bodies: pendingBodies(body, { gzip }) });
    const { bodies } = decodeResult(KEY, encodeResult(KEY, stored)) ?? stored;
    expect([bodies.identity, bodies.gzip, bodies.br]).toEqual([body, gzip, undefined]);
    const [ofGzip, br = Buffer.alloc(0)] = await Promise.all([
      bodies.pending?.in('gzip'),
      bodies.pending?.in('br'),
    ]);
    expect([ofGzip, brotliDecompressSync(br)]).toEqual([gzip, body]);
  });

  it('of an earlier build is no result', () => {
    const earlier = formatFour();
    earlier.write('QGA2');
    expect(decodeResult(KEY, earlier)).toBeUndefined();
  });
});
