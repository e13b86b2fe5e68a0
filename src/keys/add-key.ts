import { readFile, rename, writeFile } from 'node:fs/promises';
import { parseDocument, stringify } from 'yaml';

import { generateApiKey, hashApiKey } from './api-key.js';
import { isYaml, parseKeyFile, readKeyFile, type KeyFile, type StoredKey } from './key-file.js';

/**
 * Makes a key and adds its hash to a keys' file, which is made if absent.
 *
 * @returns the key, which is stored nowhere.
 * @throws Error where the file is not as it should be or has a key of that name, or the name is none; the file is then
 * left as it was.
 */
export async function addKey(file: string, name: string, now: Date): Promise<string> {
  const before = await readIfThere(file);
  if (before?.keys.some((key) => key.name === name)) {
    throw new Error(`${file} has a key named ${name} already`);
  }
  const key = generateApiKey();
  const stored: StoredKey = { name, sha256: [hashApiKey(key)], created: now.toISOString() };
  const text = await withKey(file, before, stored);
  parseKeyFile(file, text);
  await replaceFile(file, text);
  return key;
}

async function readIfThere(file: string): Promise<KeyFile | undefined> {
  try {
    return await readKeyFile(file);
  } catch (error) {
    const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
    if (cause?.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** In YAML, comments and order of what is there are kept. */
async function withKey(file: string, before: KeyFile | undefined, stored: StoredKey): Promise<string> {
  const keys = [...(before?.keys ?? []), stored];
  if (!isYaml(file)) return `${JSON.stringify({ keys }, undefined, 2)}\n`;
  if (!before) return stringify({ keys });
  const document = parseDocument(await readFile(file, 'utf8'));
  document.addIn(['keys'], stored);
  return document.toString();
}

/** A reader sees the old file or the new one, never a half. */
async function replaceFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  await writeFile(temporary, text, { mode: 0o600 });
  await rename(temporary, file);
}
