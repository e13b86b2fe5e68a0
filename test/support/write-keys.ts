import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { hashApiKey } from '../../src/gateway/auth/api-key.js';
import { keyNamed, type KeyRights } from './access-gateway.js';

/** Writes a keys file for a gateway that runs as a process, and returns its path; `keyNamed` returns the keys. */
export async function writeKeys(folder: string, rights: KeyRights): Promise<string> {
  const file = path.join(folder, 'keys.json');
  const keys = Object.entries(rights).map(([name, more]) => ({
    name,
    sha256: [hashApiKey(keyNamed(name))],
    ...more,
  }));
  await writeFile(file, JSON.stringify({ keys }));
  return file;
}
