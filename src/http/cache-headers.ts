import type { Answered, CacheDemand } from '../query/call.js';

/** What a caller that may bypass the cache demands of it, by its `Cache-Control` (RFC 9111, 5.2.1). */
export function cacheDemandOf(cacheControl: string | undefined): CacheDemand {
  const directives = (cacheControl ?? '')
    .toLowerCase()
    .split(',')
    .map((directive) => directive.trim());
  if (directives.includes('only-if-cached')) return 'only-cached';
  return directives.includes('no-cache') ? 'fresh' : 'any';
}

/** What decides the bytes of an answer beside its URL. */
export const VARY = 'Accept, Accept-Encoding, X-API-KEY, Authorization, Prefer';

/**
 * The headers that tell how an answer came about and how long it is good, names and values by turns.
 *
 * @param caching the endpoint's: seconds, which `max-age` never exceeds even where the clock was set back since.
 * @param now milliseconds since 1970.
 */
export function cacheHeaders(
  { answer, status, stored, collapsed, expired = false }: Answered,
  caching: number | 'disabled',
  now: number,
): readonly string[] {
  if (caching === 'disabled') {
    const detail = answer.partial ? '; detail=partial' : '';
    return ['X-Cache', status, 'Cache-Status', `querygate; fwd=bypass${detail}`, 'Cache-Control', 'no-store'];
  }
  if (answer.partial) {
    const cacheStatus = `querygate; fwd=${status === 'BYPASS' ? 'request' : 'miss'}; detail=partial`;
    return ['X-Cache', status, 'Cache-Status', cacheStatus, 'Cache-Control', 'no-store'];
  }
  const left = Math.min(caching, Math.floor((answer.expiresAt - now) / 1000));
  return [
    'X-Cache',
    status,
    'Cache-Status',
    cacheStatus(status, left, { stored, collapsed, expired }),
    'Age',
    String(Math.max(0, Math.floor((now - answer.bornAt) / 1000))),
    'Cache-Control',
    `private, max-age=${Math.max(0, left)}`,
  ];
}

/** `Cache-Status` (RFC 9211); a negative `ttl` is that of a stale answer. */
function cacheStatus(
  status: Answered['status'],
  left: number,
  { stored, collapsed, expired }: Readonly<Record<'stored' | 'collapsed' | 'expired', boolean>>,
): string {
  switch (status) {
    case 'HIT':
      return `querygate; hit; ttl=${left}`;
    case 'STALE':
      return `querygate; hit; ttl=${left}; detail=stale-if-error`;
    case 'MISS':
    case 'BYPASS':
      return [
        'querygate',
        status === 'BYPASS' ? 'fwd=request' : expired ? 'fwd=stale' : 'fwd=miss',
        ...(stored ? ['stored'] : []),
        ...(collapsed ? ['collapsed'] : []),
        `ttl=${left}`,
      ].join('; ');
  }
}
