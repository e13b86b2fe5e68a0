import { generateApiKey, hashApiKey } from '../../gateway/auth/api-key.js';
import { editKeyFile } from '../../gateway/auth/edit-key-file.js';
import type { KeyFile, StoredKey, StoredRights } from '../../gateway/auth/key-file.js';

/** A key to create. */
export interface NewKey extends StoredRights {
  /** Letters, digits, `_ . @ -`. */
  readonly name: string;
}

export interface AddOptions {
  readonly now: Date;
  /** Throws when the key's rights refer to nothing that exists. */
  readonly check?: (added: KeyFile) => void;
}

/**
 * Creates a key and adds its hash to a keys file, which is created if absent.
 *
 * @returns the key, which is stored nowhere.
 * @throws Error when the file is invalid, has a key of that name, or the name or the rights are invalid; the file
 * then stays unchanged.
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
      throw new Error(`${file} already has a key named ${name}`);
    }
    return { kind: 'add', key: stored };
  });
  return key;
}

/**
 * Starts a rotation: creates a second key for a name. The previous newest key stays valid, older ones are removed.
 *
 * @returns the key, which is stored nowhere.
 * @throws Error when the file is invalid or has no key of that name.
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
 * Ends a rotation: removes the older of two keys.
 *
 * @throws Error when the file is invalid, or the name does not have two keys.
 */
export async function finishRotation(file: string, name: string): Promise<void> {
  await editKeyFile(file, (before) => {
    if (keyNamed(file, before, name).sha256.length < 2) {
      throw new Error(`${name} has only one key; there is no older key to remove`);
    }
    return { kind: 'dropOlderHash', name };
  });
}

/**
 * Removes a name with its keys; its signed links become invalid.
 *
 * @throws Error when the file is invalid or has no key of that name.
 */
export async function revokeKey(file: string, name: string): Promise<void> {
  await editKeyFile(file, (before) => {
    keyNamed(file, before, name);
    return { kind: 'remove', name };
  });
}

/** @throws Error when the file has no key of that name. */
export function keyNamed(file: string, keyFile: KeyFile | undefined, name: string): StoredKey {
  const found = keyFile?.keys.find((key) => key.name === name);
  if (!found) throw new Error(`${file} has no key named ${JSON.stringify(name)}`);
  return found;
}
