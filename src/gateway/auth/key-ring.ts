import { hashApiKey } from './api-key.js';
import { isActive, type Principal } from './principal.js';

/** A principal with the hashes of its keys. */
export interface KeyEntry {
  readonly principal: Principal;
  /** SHA-256 of the keys, hexadecimal; two during a rotation. */
  readonly hashes: readonly string[];
}

/** The accepted keys; an immutable value that a reload replaces. */
export class KeyRing {
  readonly #byHash: ReadonlyMap<string, Principal>;
  readonly #byName: ReadonlyMap<string, Principal>;
  /** Principals by the valid key that was presented, so that each key is hashed once. Invalid keys are absent: anybody can invent those. */
  readonly #presented = new Map<string, Principal>();
  readonly #clock: () => Date;

  /** If two entries share a hash, the later entry wins. */
  constructor(entries: readonly KeyEntry[], clock = (): Date => new Date()) {
    this.#byHash = new Map(
      entries.flatMap(({ principal, hashes }) => hashes.map((hash) => [hash, principal] as const)),
    );
    this.#byName = new Map(entries.map(({ principal }) => [principal.name, principal]));
    this.#clock = clock;
  }

  /**
   * The principal of an active key; undefined for an unknown or expired key.
   *
   * The duration of a map lookup depends on the hash. This reveals nothing: the hash is the key's SHA-256, or V8's hash
   * with a secret seed. Nobody can choose a key whose hash comes closer to a stored one.
   */
  find(key: string): Principal | undefined {
    const known = this.#presented.get(key);
    if (known) return this.ifActive(known);
    const principal = this.#byHash.get(hashApiKey(key));
    if (principal) this.#presented.set(key, principal);
    return this.ifActive(principal);
  }

  /** The principal of a name; undefined unless its key is active. */
  findByName(name: string): Principal | undefined {
    return this.ifActive(this.#byName.get(name));
  }

  /** All principals, including those of expired keys. */
  principals(): readonly Principal[] {
    return [...this.#byName.values()];
  }

  private ifActive(principal: Principal | undefined): Principal | undefined {
    if (principal?.expiresAt === undefined) return principal;
    return isActive(principal, this.#clock().getTime()) ? principal : undefined;
  }
}
