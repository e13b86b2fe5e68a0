import { fileURLToPath } from 'node:url';

import { runNode } from '../support/run-node.js';

const PROGRAM = fileURLToPath(new URL('../support/count-collections.mjs', import.meta.url));

async function collectionsOf(how: string): Promise<number> {
  const { code, output } = await runNode([PROGRAM, how]);
  expect([code, output]).toEqual([0, output]);
  return (JSON.parse(output) as { readonly collections: number }).collections;
}

it('buffers that pass through a gateway seldom cause a collection of the whole heap', async () => {
  const ofHalf = await collectionsOf('--heap-growing-percent=50');
  expect(ofHalf).toBeGreaterThan(4 * (await collectionsOf('bound')));
});
