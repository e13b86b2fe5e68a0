import { access, readdir } from 'node:fs/promises';
import path from 'node:path';

import { documentationPages, ROOT, textOf } from '../../support/documentation.js';

const PAGES = ['README.md', ...(await documentationPages())];

const scripts = (
  JSON.parse(await textOf('package.json')) as { readonly scripts: Readonly<Record<string, string>> }
).scripts;

/** Whether a Jest path pattern matches a file or folder of the project. */
async function matchesFiles(pattern: string): Promise<boolean> {
  const folder = path.join(ROOT, path.dirname(pattern));
  await access(folder);
  return (await readdir(folder)).some((file) => file.startsWith(path.basename(pattern)));
}

describe('commands in the documentation', () => {
  it.each(PAGES)('%s names only npm scripts and tests that exist', async (page) => {
    const text = await textOf(page);
    const used = [...text.matchAll(/npm run (?:--silent )?([a-z][\w:-]*)/g)].map(([, script = '']) => script);
    expect(used.filter((script) => !Object.hasOwn(scripts, script))).toEqual([]);
    const patterns = [...text.matchAll(/npm test -- (test\/[\w./-]+)/g)].map(([, pattern = '']) => pattern);
    const exist = await Promise.all(patterns.map(matchesFiles));
    expect(patterns.filter((_, index) => !exist[index])).toEqual([]);
  });
});
