import type { KeyHolder } from '../../auth/principal.js';

/** What is told of keys. */
export interface KeysInfo {
  readonly keys: { readonly holders: () => readonly KeyHolder[] };
  /** ISO time of the last use, by name. */
  readonly keyUse: ReadonlyMap<string, string>;
}

/**
 * Each key with its rights and its last use at this gateway since its start, ISO 8601 or null; never a key or a hash. Ways
 * in without a key of their own (`jwt:*`, `link:NAME`) follow, where they were used.
 */
export function describeKeys({ keys, keyUse }: KeysInfo): Readonly<Record<string, unknown>> {
  const names = new Set(keys.holders().map(({ name }) => name));
  const others = [...keyUse].filter(([name]) => !names.has(name));
  return {
    keys: keys.holders().map((holder) => ({
      name: holder.name,
      endpoints: holder.endpoints ?? ['*'],
      fixed: Object.fromEntries(holder.fixed ?? []),
      expires: holder.expiresAt === undefined ? null : new Date(holder.expiresAt).toISOString(),
      limits: holder.limits ?? {},
      mayBypassCache: holder.mayBypassCache,
      mayUseQueryString: holder.mayUseQueryString ?? false,
      lastUse: keyUse.get(holder.name) ?? null,
    })),
    others: others.map(([name, lastUse]) => ({ name, lastUse })),
  };
}
