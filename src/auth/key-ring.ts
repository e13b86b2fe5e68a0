import { hashApiKey } from './api-key.js';
import { isActive, type Principal } from './principal.js';

export type { Principal as KeyHolder } from './principal.js';

/** A holder with the hashes of the keys that are good for it. */
export interface KeyEntry {
  readonly principal: Principal;
  /** SHA-256, hexadecimal; two while a key is being replaced. */
  readonly hashes: readonly string[];
}

/** The keys that are accepted now; an immutable value that a reload replaces. */
export class KeyRing {
  readonly #byHash: ReadonlyMap<string, Principal>;
  readonly #byName: ReadonlyMap<string, Principal>;
  readonly #clock: () => Date;

  /** Where two entries share a hash, the later one has it. */
  constructor(entries: readonly KeyEntry[], clock = (): Date => new Date()) {
    this.#byHash = new Map(
      entries.flatMap(({ principal, hashes }) => hashes.map((hash) => [hash, principal] as const)),
    );
    this.#byName = new Map(entries.map(({ principal }) => [principal.name, principal]));
    this.#clock = clock;
  }

  /**
   * The holder of a key that is in force.
   *
   * A look into a map takes longer or shorter with the hash that is looked up. That tells nothing: what is compared is
   * SHA-256 of the key, and nobody can choose a key so that its hash comes closer to a stored one.
   */
  find(key: string): Principal | undefined {
    return this.ifActive(this.#byHash.get(hashApiKey(key)));
  }

  /** The holder of that name, where its key is in force. */
  named(name: string): Principal | undefined {
    return this.ifActive(this.#byName.get(name));
  }

  /** All holders, expired ones too. */
  principals(): readonly Principal[] {
    return [...this.#byName.values()];
  }

  private ifActive(principal: Principal | undefined): Principal | undefined {
    if (principal?.expiresAt === undefined) return principal;
    return isActive(principal, this.#clock().getTime()) ? principal : undefined;
  }
}
