import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import path from 'node:path';

import { ROOT } from './documentation.js';

/** Copies the build next to the packages of an installation without those of a scope, and returns its main program. */
export async function installWithout(scope: `@${string}`, folder: string): Promise<string> {
  const modules = path.join(ROOT, 'node_modules');
  await cp(path.join(ROOT, 'dist'), path.join(folder, 'dist'), { recursive: true });
  await cp(path.join(ROOT, 'package.json'), path.join(folder, 'package.json'));
  await mkdir(path.join(folder, 'node_modules'));
  for (const name of await readdir(modules)) {
    if (name !== scope) await symlink(path.join(modules, name), path.join(folder, 'node_modules', name));
  }
  return path.join(folder, 'dist/commands/cli/querygate.js');
}
