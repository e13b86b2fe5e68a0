import type { Principal } from '../../auth/principal.js';

/** What the description of keys is made from. */
export interface KeysInfo {
  readonly keys: { readonly principals: () => readonly Principal[] };
  /** ISO time of the last use, by name. */
  readonly keyUse: ReadonlyMap<string, string>;
}

/**
 * The body of `GET /keys`: each key's rights and its last use at this gateway since the start (ISO 8601 or null), without
 * the key or its hash. `others` lists tokens and signed links (`jwt:*`, `link:NAME`) that were used.
 */
export function describeKeys({ keys, keyUse }: KeysInfo): Readonly<Record<string, unknown>> {
  const names = new Set(keys.principals().map(({ name }) => name));
  const others = [...keyUse].filter(([name]) => !names.has(name));
  return {
    keys: keys.principals().map((principal) => ({
      name: principal.name,
      endpoints: principal.endpoints ?? ['*'],
      pinned: Object.fromEntries(principal.pinned ?? []),
      expires: principal.expiresAt === undefined ? null : new Date(principal.expiresAt).toISOString(),
      limits: principal.limits ?? {},
      mayBypassCache: principal.mayBypassCache,
      mayUseQueryString: principal.mayUseQueryString ?? false,
      lastUse: keyUse.get(principal.name) ?? null,
    })),
    others: others.map(([name, lastUse]) => ({ name, lastUse })),
  };
}
