import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { replaceFile } from '../../files/replace-file.js';

const fileIn = (dataDir: string): string => path.join(dataDir, 'grants.json');

/** The rights of the read-only user when the data folder was last used; none in a new folder. */
export async function readRememberedGrants(dataDir: string): Promise<readonly string[]> {
  try {
    const grants: unknown = JSON.parse(await readFile(fileIn(dataDir), 'utf8'));
    return isStrings(grants) ? grants : [];
  } catch {
    return []; // No file, or an incomplete one of a gateway that was killed: the grants are computed again.
  }
}

const isStrings = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** Writes the rights, so that the next start need not restart the server to apply them. */
export async function rememberGrants(dataDir: string, grants: readonly string[]): Promise<void> {
  await replaceFile(fileIn(dataDir), JSON.stringify(grants), 0o600);
}
