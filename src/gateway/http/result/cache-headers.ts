import { EVERY_ROW_READER, type Reader } from '../../../endpoint/figures.js';
import type { CallOutcome, CacheDemand } from '../../query/call.js';
import { isConfirmed, knownAt, type EndpointResult } from '../../query/endpoint-result.js';

/** Reads the request's `Cache-Control` (RFC 9111, 5.2.1), which counts only for callers that may bypass the cache. */
export function cacheDemandOf(cacheControl: string | undefined): CacheDemand {
  if (cacheControl === undefined) return 'any';
  const directives = cacheControl
    .toLowerCase()
    .split(',')
    .map((directive) => directive.trim());
  if (directives.includes('only-if-cached')) return 'only-cached';
  return directives.includes('no-cache') ? 'fresh' : 'any';
}

/** `Vary`: the request headers that change a response's bytes. */
export const VARY = 'Accept, Accept-Encoding, X-API-KEY, Authorization, Prefer';

/**
 * The headers that describe how the cache served a response and how long the response stays fresh.
 *
 * @param caching the endpoint's setting in seconds; `max-age` never exceeds it, even after the clock was set back.
 * @param now milliseconds since 1970.
 * @param reader the reader of the headers: one with pins must not learn from them whether other tenants' data changed.
 * @returns alternating names and values.
 */
export function cacheHeaders(
  outcome: CallOutcome,
  caching: number | 'disabled',
  now: number,
  reader: Reader,
): readonly string[] {
  const { result, status } = outcome;
  if (caching === 'disabled') {
    const detail = result.partial ? '; detail=partial' : '';
    return ['X-Cache', status, 'Cache-Status', `querygate; fwd=bypass${detail}`, 'Cache-Control', 'no-store'];
  }
  if (result.partial) {
    const cacheStatus = `querygate; fwd=${status === 'BYPASS' ? 'request' : 'miss'}; detail=partial`;
    return ['X-Cache', status, 'Cache-Status', cacheStatus, 'Cache-Control', 'no-store'];
  }
  const remaining = Math.min(caching, Math.floor((result.expiresAt - now) / 1000));
  return [
    'X-Cache',
    status,
    'Cache-Status',
    cacheStatus(outcome, remaining, reader === EVERY_ROW_READER ? detailOf(status, result) : ''),
    'Age',
    // RFC 9111 (4.2.3): seconds since the response was generated or successfully validated at the origin.
    String(Math.max(0, Math.floor((now - knownAt(result)) / 1000))),
    'Cache-Control',
    // With a data version, max-age is the whole setting, because the rest of a second, rounded down, would always be 0.
    `private, max-age=${result.data && now < result.expiresAt ? caching : Math.max(0, remaining)}`,
  ];
}

/** `Cache-Status` (RFC 9211); `ttl` is negative for a stale response. */
export function cacheStatus(
  { status, isStored, isCollapsed, replacesExpired }: CallOutcome,
  remaining: number,
  detail: string,
): string {
  switch (status) {
    case 'HIT':
      return `querygate; hit; ttl=${remaining}${detail}`;
    case 'STALE':
      return `querygate; hit; ttl=${remaining}; detail=stale-if-error`;
    case 'MISS':
    case 'PARTIAL':
    case 'BYPASS':
      return [
        'querygate',
        status === 'BYPASS' ? 'fwd=request' : replacesExpired ? 'fwd=stale' : 'fwd=miss',
        ...(isStored ? ['stored'] : []),
        ...(isCollapsed ? ['collapsed'] : []),
        `ttl=${remaining}${detail}`,
      ].join('; ');
  }
}

/** A parameter of `Cache-Status` with details of the result; empty without such. */
function detailOf(status: CallOutcome['status'], result: EndpointResult): string {
  if (status === 'HIT' && isConfirmed(result)) return '; detail=confirmed';
  if (status !== 'PARTIAL' || !result.pieces) return '';
  const { kept, of, areDays } = result.pieces;
  return `; detail="${kept} of ${of} ${areDays ? 'days' : 'partitions'}"`;
}
