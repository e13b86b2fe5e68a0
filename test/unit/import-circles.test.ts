import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDERS = ['src', 'console/src', 'bench', 'test'];
const IMPORT = /^(?:import|export)\b[^;']*'(\.[^']+)\.js';/gm;

const files = FOLDERS.flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => path.join(folder, file)),
);
const imports = new Map(
  files.map((file) => {
    const found = [...readFileSync(path.join(ROOT, file), 'utf8').matchAll(IMPORT)];
    const names = found.map(([, name = '']) => path.join(path.dirname(file), name));
    return [file, names.map((name) => (files.includes(`${name}.ts`) ? `${name}.ts` : `${name}.tsx`))];
  }),
);

it.each(FOLDERS)('no file of %s imports itself through others, types included', (folder) => {
  const left = new Map([...imports].filter(([file]) => file.startsWith(`${folder}/`)));
  let before = Infinity;
  while (left.size < before) {
    before = left.size;
    const imported = new Set([...left.values()].flat());
    for (const [file, targets] of left) {
      if (!imported.has(file) || !targets.some((target) => left.has(target))) left.delete(file);
    }
  }
  expect([...left.keys()]).toEqual([]);
});

it('finds the files that src imports', () => {
  const targets = [...imports].flatMap(([file, names]) => (file.startsWith('src/') ? names : []));
  expect(targets.filter((file) => !imports.has(file))).toEqual([]);
});
