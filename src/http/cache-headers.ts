import type { CallOutcome, CacheDemand } from '../query/call.js';

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
  { result, status, isStored, isCollapsed, replacesExpired: expired = false }: CallOutcome,
  caching: number | 'disabled',
  now: number,
): readonly string[] {
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
    cacheStatus(status, remaining, { stored: isStored, collapsed: isCollapsed, expired }),
    'Age',
    String(Math.max(0, Math.floor((now - result.createdAt) / 1000))),
    'Cache-Control',
    `private, max-age=${Math.max(0, remaining)}`,
  ];
}

/** `Cache-Status` (RFC 9211); a negative `ttl` is that of a stale answer. */
function cacheStatus(
  status: CallOutcome['status'],
  remaining: number,
  {
    stored: isStored,
    collapsed: isCollapsed,
    expired,
  }: Readonly<Record<'stored' | 'collapsed' | 'expired', boolean>>,
): string {
  switch (status) {
    case 'HIT':
      return `querygate; hit; ttl=${remaining}`;
    case 'STALE':
      return `querygate; hit; ttl=${remaining}; detail=stale-if-error`;
    case 'MISS':
    case 'BYPASS':
      return [
        'querygate',
        status === 'BYPASS' ? 'fwd=request' : expired ? 'fwd=stale' : 'fwd=miss',
        ...(isStored ? ['stored'] : []),
        ...(isCollapsed ? ['collapsed'] : []),
        `ttl=${remaining}`,
      ].join('; ');
  }
}
