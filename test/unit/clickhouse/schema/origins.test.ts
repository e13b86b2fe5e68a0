import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import { ENDPOINTS_FOLDER, SCHEMA_FOLDER } from '../../../../src/project-files.js';

const ORIGIN = /regexpExtract\([\w.]*url, ('[^']*', \d)\)/g;

/** Expressions for the origin of a URL in each file that has one. */
async function originsOf(folder: string): Promise<readonly (readonly [string, ...string[]])[]> {
  const files = (await readdir(folder)).filter((name) => /\.(?:sql|ts)$/.test(name));
  const found = await Promise.all(
    files.map(async (name) => {
      const text = await readFile(path.join(folder, name), 'utf8');
      return [name, ...[...text.matchAll(ORIGIN)].map((match) => match[1] ?? '')] as const;
    }),
  );
  return found.filter(([, ...origins]) => origins.length > 0);
}

it('an origin is the same to the views, the fills, the index and the endpoint', async () => {
  const inSchema = await originsOf(SCHEMA_FOLDER);
  const inEndpoints = await originsOf(ENDPOINTS_FOLDER);
  expect(inSchema.map(([file]) => file.slice(0, 4)).sort()).toEqual(['0015', '0021', '0022', '0027']);
  expect(inEndpoints.map(([file]) => path.parse(file).name)).toEqual(['usage.api-counts']);
  expect(new Set([...inSchema, ...inEndpoints].flatMap(([, ...origins]) => origins)).size).toBe(1);
});
