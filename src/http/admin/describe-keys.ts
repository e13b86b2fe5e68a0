import type { Principal } from '../../auth/principal.js';

/** What is told of keys. */
export interface KeysInfo {
  readonly keys: { readonly principals: () => readonly Principal[] };
  /** ISO time of the last use, by name. */
  readonly keyUse: ReadonlyMap<string, string>;
}

/**
 * Each key with its rights and its last use at this gateway since its start, ISO 8601 or null; never a key or a hash. Ways
 * in without a key of their own (`jwt:*`, `link:NAME`) follow, where they were used.
 */
export function describeKeys({ keys, keyUse }: KeysInfo): Readonly<Record<string, unknown>> {
  const names = new Set(keys.principals().map(({ name }) => name));
  const others = [...keyUse].filter(([name]) => !names.has(name));
  return {
    keys: keys.principals().map((principal) => ({
      name: principal.name,
      endpoints: principal.endpoints ?? ['*'],
      fixed: Object.fromEntries(principal.pinned ?? []),
      expires: principal.expiresAt === undefined ? null : new Date(principal.expiresAt).toISOString(),
      limits: principal.limits ?? {},
      mayBypassCache: principal.mayBypassCache,
      mayUseQueryString: principal.mayUseQueryString ?? false,
      lastUse: keyUse.get(principal.name) ?? null,
    })),
    others: others.map(([name, lastUse]) => ({ name, lastUse })),
  };
}
