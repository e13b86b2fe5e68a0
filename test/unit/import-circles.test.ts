import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url));
const IMPORT = /^(?:import|export)\b[^;']*'(\.[^']+)\.js';/gm;

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);
const imports = new Map(
  files.map((file) => {
    const found = [...readFileSync(path.join(SOURCE, file), 'utf8').matchAll(IMPORT)];
    return [file, found.map(([, target = '']) => `${path.join(path.dirname(file), target)}.ts`)];
  }),
);

// The lint rule `import-x/no-cycle` passes over imports of types.
it('no file of src imports itself through others, types included', () => {
  expect([...imports.values()].flat().filter((file) => !imports.has(file))).toEqual([]);
  const left = new Map(imports);
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
