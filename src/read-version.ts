import { readFileSync } from 'node:fs';

import { PACKAGE_FILE } from './project-files.js';

/** The gateway's version, from package.json. */
export function readVersion(): string {
  return (JSON.parse(readFileSync(PACKAGE_FILE, 'utf8')) as { readonly version: string }).version;
}
