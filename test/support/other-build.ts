import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { ROOT } from './documentation.js';

/** A text of a built file and what another version has instead. */
export interface Change {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Copies the build to a folder as another version of the package, with changes.
 *
 * @returns the arguments of `node` that serve with it.
 */
export async function buildOtherVersion(
  folder: string,
  version: string,
  changes: readonly Change[] = [],
): Promise<readonly string[]> {
  await cp(path.join(ROOT, 'dist'), path.join(folder, 'dist'), { recursive: true });
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  const manifest = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8')) as object;
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ ...manifest, version }));
  for (const { file, from, to } of changes) {
    const built = path.join(folder, 'dist', file);
    const text = await readFile(built, 'utf8');
    if (!text.includes(from)) throw new Error(`${file} of the build does not contain: ${from}`);
    await writeFile(built, text.replaceAll(from, to));
  }
  return [path.join(folder, 'dist/commands/cli/querygate.js'), 'serve'];
}
