import { timingSafeEqual } from 'node:crypto';

import { hashApiKey } from './api-key.js';

/** Who holds a key, and what it may do. */
export interface KeyHolder {
  readonly name: string;
  /** Whether it can force a fresh result, or ask for a cached one only. */
  readonly mayBypassCache: boolean;
}

/** A holder with the hashes of the keys that are good for it. */
export interface KeyEntry {
  readonly holder: KeyHolder;
  /** SHA-256, hexadecimal; two while a key is being replaced. */
  readonly hashes: readonly string[];
}

/** The keys that are accepted now; an immutable value that a reload replaces. */
export class KeyRing {
  private readonly entries: readonly { readonly holder: KeyHolder; readonly hash: Buffer }[];

  constructor(entries: readonly KeyEntry[]) {
    this.entries = entries.flatMap(({ holder, hashes }) =>
      hashes.map((hash) => ({ holder, hash: Buffer.from(hash, 'hex') })),
    );
  }

  /** The holder of a key. Takes the same time wherever, and whether, the key is found. */
  find(key: string): KeyHolder | undefined {
    const presented = Buffer.from(hashApiKey(key), 'hex');
    let found: KeyHolder | undefined;
    for (const { holder, hash } of this.entries) {
      if (timingSafeEqual(presented, hash)) found = holder;
    }
    return found;
  }
}
