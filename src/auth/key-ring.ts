import { hashApiKey } from './api-key.js';
import { isInForce, type KeyHolder } from './principal.js';

export type { KeyHolder } from './principal.js';

/** A holder with the hashes of the keys that are good for it. */
export interface KeyEntry {
  readonly holder: KeyHolder;
  /** SHA-256, hexadecimal; two while a key is being replaced. */
  readonly hashes: readonly string[];
}

/** The keys that are accepted now; an immutable value that a reload replaces. */
export class KeyRing {
  readonly #byHash: ReadonlyMap<string, KeyHolder>;
  readonly #byName: ReadonlyMap<string, KeyHolder>;
  readonly #clock: () => Date;

  /** Where two entries share a hash, the later one has it. */
  constructor(entries: readonly KeyEntry[], clock = (): Date => new Date()) {
    this.#byHash = new Map(
      entries.flatMap(({ holder, hashes }) => hashes.map((hash) => [hash, holder] as const)),
    );
    this.#byName = new Map(entries.map(({ holder }) => [holder.name, holder]));
    this.#clock = clock;
  }

  /**
   * The holder of a key that is in force.
   *
   * A look into a map takes longer or shorter with the hash that is looked up. That tells nothing: what is compared is
   * SHA-256 of the key, and nobody can choose a key so that its hash comes closer to a stored one.
   */
  find(key: string): KeyHolder | undefined {
    return this.inForce(this.#byHash.get(hashApiKey(key)));
  }

  /** The holder of that name, where its key is in force. */
  named(name: string): KeyHolder | undefined {
    return this.inForce(this.#byName.get(name));
  }

  /** All holders, expired ones too. */
  holders(): readonly KeyHolder[] {
    return [...this.#byName.values()];
  }

  private inForce(holder: KeyHolder | undefined): KeyHolder | undefined {
    if (holder?.expiresAt === undefined) return holder;
    return isInForce(holder, this.#clock().getTime()) ? holder : undefined;
  }
}
