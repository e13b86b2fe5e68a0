import { showPins } from '../../auth/shown-pins.js';
import type { AdminParts } from './admin-parts.js';

/**
 * The body of `GET /keys`: each key's rights, what is used of its quotas, and its last use at this gateway since the start
 * (ISO 8601 or null), without the key or its hash. A pinned value is an HMAC if any endpoint declares its parameter as
 * secret. `others` lists tokens and signed links (`jwt:*`, `link:NAME`) that were used.
 */
export function describeKeys({
  keys,
  keyUse,
  endpoints,
  limiter,
  seal,
}: Pick<AdminParts, 'keys' | 'keyUse' | 'endpoints' | 'limiter' | 'seal'>): Readonly<
  Record<string, unknown>
> {
  const all = endpoints.all();
  const uses = keyUse.all();
  const names = new Set(keys.principals().map(({ name }) => name));
  const others = [...uses].filter(([name]) => !names.has(name));
  return {
    keys: keys.principals().map((principal) => ({
      name: principal.name,
      endpoints: principal.endpoints ?? ['*'],
      pinned: showPins(principal.pinned ?? [], all, seal),
      expires: principal.expiresAt === undefined ? null : new Date(principal.expiresAt).toISOString(),
      limits: principal.limits ?? {},
      quotas: limiter.quotasOf({ kind: 'key', name: principal.name, rules: principal.limits ?? {} }),
      mayBypassCache: principal.mayBypassCache,
      mayExport: principal.mayExport ?? false,
      mayLink: principal.mayLink ?? false,
      mayUseQueryString: principal.mayUseQueryString ?? false,
      lastUse: uses.get(principal.name) ?? null,
    })),
    others: others.map(([name, lastUse]) => ({ name, lastUse })),
  };
}
