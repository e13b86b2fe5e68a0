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
  /** Whether `Cache-Control: no-cache` and `only-if-cached` are heeded. */
  readonly mayBypassCache?: boolean;
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
        mayBypassCache: Joi.boolean(),
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
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw new Error(`the keys’ file ${file} can’t be read: ${(cause as Error).message}`, { cause });
  }
  return parseKeyFile(file, text);
}

/**
 * Reads the text of a keys' file; the name of the file says whether it is JSON or YAML.
 *
 * @throws Error naming the file and everything in it that is wrong; never a hash.
 */
export function parseKeyFile(file: string, text: string): KeyFile {
  const result = SCHEMA.validate(parse(file, text));
  if (!result.error) return result.value;
  const problems = result.error.details.map(({ message }) => withoutHashes(message));
  throw new Error(`the keys’ file ${file} is not as it should be: ${problems.join('; ')}`);
}

/** Whether a file name says YAML; anything else is JSON. */
export function isYaml(file: string): boolean {
  return ['.yaml', '.yml'].includes(path.extname(file).toLowerCase());
}

/** The keys of a file as a ring takes them. */
export function entriesOf({ keys }: KeyFile): readonly KeyEntry[] {
  return keys.map(({ name, sha256, mayBypassCache = false }) => ({
    holder: { name, mayBypassCache },
    hashes: sha256,
  }));
}

function parse(file: string, text: string): unknown {
  try {
    return isYaml(file) ? parseYaml(text) : JSON.parse(text);
  } catch (cause) {
    // The parsers quote what stands at the fault, and show it on further lines: that may be part of a hash.
    const reason = (cause as Error).message.split('\n')[0]?.replace(/".*/, '…') ?? '';
    throw new Error(`the keys’ file ${file} can’t be read: ${withoutHashes(reason)}`, { cause });
  }
}

function withoutHashes(message: string): string {
  return message.replaceAll(/[0-9a-f]{16,}/gi, '…');
}
