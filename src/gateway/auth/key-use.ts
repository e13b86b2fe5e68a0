import type { Principal } from './principal.js';

/**
 * When each key was last used, for the admin page. The number of entries is bounded: one per key, one for the signed
 * links of each key (`link:NAME`), and one for all tokens (`jwt:*`). A key's name cannot contain a colon.
 */
export class KeyUse {
  private readonly lastUse = new Map<string, number>();

  /** @param principals returns the current principals. */
  constructor(private readonly principals: () => readonly Principal[]) {}

  /** Records an authenticated request of a principal, at a time in milliseconds since 1970. */
  record(principal: Principal, nowMs: number): void {
    this.lastUse.set(useNameOf(principal), nowMs);
  }

  /** ISO time of the last use, by name; a name without a use since the gateway's start is absent. */
  all(): ReadonlyMap<string, string> {
    this.forgetRemoved();
    return new Map([...this.lastUse].map(([name, ms]) => [name, new Date(ms).toISOString()]));
  }

  private forgetRemoved(): void {
    const names = new Set(this.principals().flatMap(({ name }) => [name, `link:${name}`]));
    for (const name of this.lastUse.keys()) {
      if (name !== ALL_TOKENS && !names.has(name)) this.lastUse.delete(name);
    }
  }
}

const ALL_TOKENS = 'jwt:*';

function useNameOf({ name, via }: Principal): string {
  if (via === 'token') return ALL_TOKENS;
  return via === 'link' ? `link:${name}` : name;
}
