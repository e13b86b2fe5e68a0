import { existsSync } from 'node:fs';
import { cp, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { REFERENCE } from '../support/reference-project.js';
import { runNode } from '../support/run-node.js';
import { withTemporaryFolder } from '../support/temporary-folder.js';

/** What the build reads. */
const SOURCES = ['src', 'console', 'scripts', 'package.json', 'package-lock.json'];

/** Runs a task on a copy of the sources, so that no other test loses its build. */
const withSources = (task: (folder: string) => Promise<void>): Promise<void> =>
  withTemporaryFolder(async (folder) => {
    const configs = (await readdir(REFERENCE.folder)).filter((name) => /^tsconfig.*\.json$/.test(name));
    for (const name of [...SOURCES, ...configs])
      await cp(path.join(REFERENCE.folder, name), path.join(folder, name), { recursive: true });
    await symlink(path.join(REFERENCE.folder, 'node_modules'), path.join(folder, 'node_modules'));
    await task(folder);
  });

const build = (folder: string, ...args: readonly string[]): ReturnType<typeof runNode> =>
  runNode([path.join(folder, 'scripts/build.mjs'), ...args]);

describe('npm run build', () => {
  it('builds once for concurrent runs, skips unchanged sources, adds types on demand, and retains the last build if one fails', async () => {
    await withSources(async (folder) => {
      const inFolder = (file: string): string => path.join(folder, file);
      const identity = async (): Promise<number> => (await stat(inFolder('dist'))).ino;
      // A process that was killed during its build left these.
      await writeFile(inFolder('dist.lock'), '999999999');
      await cp(inFolder('scripts'), inFolder('dist.999999999'), { recursive: true });

      const runs = await Promise.all([build(folder), build(folder)]);
      expect(runs.map(({ code }) => code)).toEqual([0, 0]);
      const left = (await readdir(folder)).filter((name) => name.startsWith('dist'));
      expect(left).toEqual(['dist']);
      // Executable, so that npx finds the command after every build.
      expect((await stat(inFolder('dist/commands/cli/querygate.js'))).mode & 0o111).toBe(0o111);
      expect(existsSync(inFolder('dist/index.d.ts'))).toBe(false);

      const first = await identity();
      expect((await build(folder)).code).toBe(0);
      expect(await identity()).toBe(first);

      expect((await build(folder, '--types')).code).toBe(0);
      const withTypes = await identity();
      expect(await readFile(inFolder('dist/index.d.ts'), 'utf8')).toContain('createGateway');
      expect((await build(folder)).code).toBe(0);
      expect(await identity()).toBe(withTypes);

      // Of the console, which is built first, so that the failure costs no compilation of the gateway.
      const source = inFolder('console/src/main.tsx');
      const text = await readFile(source, 'utf8');
      await writeFile(source, `${text}\nconst broken = ;\n`);
      expect((await build(folder)).code).toBe(1);
      expect(await identity()).toBe(withTypes);
      expect((await readdir(folder)).includes('dist.lock')).toBe(false);
    });
  });
});
