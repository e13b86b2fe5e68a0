import type { Principal } from './principal.js';

/**
 * When each key was last used, for the operator. It holds no more names than there are keys, and one for each way in
 * that has no key of its own: all tokens together are `jwt:*`, all links of a key `link:NAME`. No key's name has a colon.
 */
export class KeyUse {
  private readonly lastUse = new Map<string, number>();

  /** @param principals those that there are now. */
  constructor(private readonly principals: () => readonly Principal[]) {}

  /** Notes that a holder was let in, at a time in milliseconds since 1970. */
  note(principal: Principal, nowMs: number): void {
    this.lastUse.set(useNameOf(principal), nowMs);
  }

  /** ISO time of the last use by name; who has not been seen since the gateway's start is absent. */
  all(): ReadonlyMap<string, string> {
    this.forgetRemoved();
    return new Map([...this.lastUse].map(([name, ms]) => [name, new Date(ms).toISOString()]));
  }

  private forgetRemoved(): void {
    const names = new Set(this.principals().flatMap(({ name }) => [name, `link:${name}`]));
    for (const name of this.lastUse.keys()) {
      if (name !== TOKENS && !names.has(name)) this.lastUse.delete(name);
    }
  }
}

const TOKENS = 'jwt:*';

function useNameOf({ name, via }: Principal): string {
  if (via === 'token') return TOKENS;
  return via === 'link' ? `link:${name}` : name;
}
