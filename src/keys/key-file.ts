import { readFile } from 'node:fs/promises';
import path from 'node:path';
import Joi from 'joi';
import { parse as parseYaml } from 'yaml';

import type { KeyEntry } from './key-ring.js';

/** A key as it stands in the file. */
export interface StoredKey {
  readonly name: string;
  /** SHA-256 of the key; two while it is being replaced. */
  readonly sha256: readonly string[];
  readonly created?: string;
}

/** The keys' file, JSON or YAML. */
export interface KeyFile {
  readonly keys: readonly StoredKey[];
}

const SCHEMA = Joi.object<KeyFile>({
  keys: Joi.array()
    .items(
      Joi.object<StoredKey>({
        name: Joi.string()
          .pattern(/^[\w.@-]{1,64}$/, 'a name of letters, digits, _ . @ -')
          .required(),
        sha256: Joi.array().items(Joi.string().hex().length(64).lowercase()).min(1).max(2).required(),
        created: Joi.string().isoDate(),
      }),
    )
    .unique('name')
    .required(),
})
  .required()
  .prefs({ abortEarly: false });

/**
 * Reads a keys' file.
 *
 * @throws Error naming the file and everything in it that is wrong; never a hash.
 */
export async function readKeyFile(file: string): Promise<KeyFile> {
  let content: unknown;
  try {
    content = parseKeyFile(file, await readFile(file, 'utf8'));
  } catch (cause) {
    const reason = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause);
    throw new Error(`the keys’ file ${file} can’t be read: ${reason}`, { cause });
  }
  const result = SCHEMA.validate(content);
  if (!result.error) return result.value;
  const problems = result.error.details.map(({ message }) => message.replaceAll(/[0-9a-f]{16,}/gi, '…'));
  throw new Error(`the keys’ file ${file} is not as it should be: ${problems.join('; ')}`);
}

/** Whether a file name says YAML; anything else is JSON. */
export function isYaml(file: string): boolean {
  return ['.yaml', '.yml'].includes(path.extname(file).toLowerCase());
}

/** The keys of a file as a ring takes them. */
export function entriesOf({ keys }: KeyFile): readonly KeyEntry[] {
  return keys.map(({ name, sha256 }) => ({ holder: { name }, hashes: sha256 }));
}

function parseKeyFile(file: string, text: string): unknown {
  return isYaml(file) ? parseYaml(text) : JSON.parse(text);
}
