import { createHash } from 'node:crypto';

import { decodeResult, encodeResult } from '../../../src/cache/result-codec.js';
import { sampleKey, sampleResult } from '../../support/sample-result.js';

const KEY = sampleKey('a query');
const RESULT = sampleResult({ createdAt: 1_700_000_000_000 });

/** The layout of format 3, as version 0.1 wrote it. */
function formatThree(): Buffer {
  const prefix = Buffer.from(`QGR317000000000001700000060000${KEY.hash}`);
  const header = Buffer.from(
    '{"createdAt":1700000000000,"expiresAt":1700000060000,"digest":"abcdefghijklmnopqrstuv","rowCount":24,' +
      '"truncated":true,"rowsRead":123456789,"bytesRead":9007199254740991,"clickhouseMs":12.25,' +
      '"lengths":{"identity":6,"gzip":2,"br":1}}',
  );
  const bodies = Buffer.from([0, 255, 10, 13, 195, 40, 31, 139, 7]);
  const rest = Buffer.concat([Buffer.of(0, 0, 0, header.length), header, bodies]);
  const checksum = createHash('sha256').update(prefix).update(rest).digest().subarray(0, 16);
  return Buffer.concat([prefix, checksum, rest]);
}

describe('the layout of a cached result', () => {
  // Another layout needs another SHARED_FORMAT: gateways of two versions share a Redis during an upgrade.
  it('is that of format 3', () => {
    expect(decodeResult(KEY, formatThree())).toEqual(RESULT);
    const written = encodeResult(KEY, RESULT);
    expect(written.subarray(0, 94)).toEqual(formatThree().subarray(0, 94));
    expect(decodeResult(KEY, written)).toEqual(decodeResult(KEY, formatThree()));
    expect(written).toHaveLength(formatThree().length);
  });

  it('of an earlier build is no result', () => {
    const earlier = formatThree();
    earlier.write('QGA2');
    expect(decodeResult(KEY, earlier)).toBeUndefined();
  });
});
