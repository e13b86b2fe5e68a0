import { createHash } from 'node:crypto';

import { Figures } from '../../src/endpoint/figures.js';
import type { CacheKey } from '../../src/gateway/query/cache-key.js';
import type { EndpointResult } from '../../src/gateway/query/endpoint-result.js';

/** A result with all fields set, fresh for a minute, whose bodies are not valid text. */
export function sampleResult(
  changes: Partial<EndpointResult> & Pick<EndpointResult, 'createdAt'>,
): EndpointResult {
  return {
    expiresAt: changes.createdAt + 60_000,
    digest: 'abcdefghijklmnopqrstuv',
    rowCount: 24,
    truncated: true,
    cost: new Figures({
      rowsRead: 123_456_789,
      bytesRead: 9_007_199_254_740_991,
      clickhouseMs: 12.25,
    }),
    bodies: { identity: Buffer.from([0, 255, 10, 13, 195, 40]), gzip: Buffer.of(31, 139), br: Buffer.of(7) },
    ...changes,
  };
}

/** Builds a key of an endpoint that caches for a minute; different query texts have different keys. */
export function sampleKey(query: string, endpointId = '11111111-2222-4333-8444-555555555555'): CacheKey {
  const hash = createHash('sha256').update(query).digest('hex');
  return { endpointId, hash, cachingMs: 60_000, confirmableMs: 0, staleMs: 0 };
}
