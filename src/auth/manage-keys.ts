import { generateApiKey, hashApiKey } from './api-key.js';
import { editKeyFile } from './edit-key-file.js';
import type { KeyFile, StoredKey, StoredRights } from './key-file.js';

/** A key to make. */
export interface NewKey extends StoredRights {
  /** Letters, digits, `_ . @ -`. */
  readonly name: string;
}

export interface AddOptions {
  readonly now: Date;
  /** Throws where the key's rights mean nothing here. */
  readonly check?: (added: KeyFile) => void;
}

/**
 * Makes a key and adds its hash to a keys' file, which is made if absent.
 *
 * @returns the key, which is stored nowhere.
 * @throws Error where the file is not as it should be or has a key of that name, or name or rights are none; the file
 * is then left as it was.
 */
export async function addKey(
  file: string,
  { name, ...rights }: NewKey,
  { now, check }: AddOptions,
): Promise<string> {
  const key = generateApiKey();
  const stored: StoredKey = { name, sha256: [hashApiKey(key)], created: now.toISOString(), ...rights };
  check?.({ keys: [stored] });
  await editKeyFile(file, (before) => {
    if (before?.keys.some((each) => each.name === name)) {
      throw new Error(`${file} has a key named ${name} already`);
    }
    return { kind: 'add', key: stored };
  });
  return key;
}

/**
 * Makes another key for a name: it is good beside the one that was made last, and any older is good no more.
 *
 * @returns the key, which is stored nowhere.
 * @throws Error where the file is not as it should be, or has no key of that name.
 */
export async function rotateKey(file: string, name: string): Promise<string> {
  const key = generateApiKey();
  await editKeyFile(file, (before) => {
    keyNamed(file, before, name);
    return { kind: 'addHash', name, hash: hashApiKey(key) };
  });
  return key;
}

/**
 * Ends a rotation: only the newer of two keys stays good.
 *
 * @throws Error where the file is not as it should be, or the name has not two keys.
 */
export async function finishRotation(file: string, name: string): Promise<void> {
  await editKeyFile(file, (before) => {
    if (keyNamed(file, before, name).sha256.length < 2) {
      throw new Error(`${name} has one key only, so no older one to drop`);
    }
    return { kind: 'dropOlderHash', name };
  });
}

/**
 * Removes a name with its keys, and so its links.
 *
 * @throws Error where the file is not as it should be, or has no key of that name.
 */
export async function revokeKey(file: string, name: string): Promise<void> {
  await editKeyFile(file, (before) => {
    keyNamed(file, before, name);
    return { kind: 'remove', name };
  });
}

/** @throws Error where the file has no key of that name. */
export function keyNamed(file: string, keyFile: KeyFile | undefined, name: string): StoredKey {
  const found = keyFile?.keys.find((key) => key.name === name);
  if (!found) throw new Error(`${file} has no key named ${JSON.stringify(name)}`);
  return found;
}
