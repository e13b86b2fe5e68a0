import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { loadEndpoints } from '../../../src/endpoint/load-endpoints.js';
import { ENDPOINTS_FOLDER } from '../../../src/project-files.js';
import { SHIPPED_ENDPOINTS } from '../../support/shipped-endpoints.js';
import { withTemporaryFolder } from '../../support/temporary-folder.js';

const SOURCE = fileURLToPath(new URL('../../../src/endpoint/index.js', import.meta.url));

/** The text of an endpoint file. */
const fileOf = (from: string, changes = ''): string => `
  import { column, defineEndpoint, sql, text } from '${path.relative(from, SOURCE)}';

  export default defineEndpoint({
    id: '11111111-2222-4333-8444-555555555555',
    name: 'first',
    summary: 'A sample.',
    parameters: { city: text({ description: 'A city.' }) },
    columns: { city: column('String', 'The city.') },
    maxRows: 10,
    caching: 60,
    warming: 0,
    sandboxing: 'disabled',
    example: {},
    build: ({ city }) => sql\`SELECT \${city} AS city\`,
    ${changes}
  });
`;

/** The names of the endpoints that a folder with these files contains, or the message of the error. */
const outcomeOf = async (write: (folder: string) => Readonly<Record<string, string>>): Promise<unknown> => {
  let outcome: unknown;
  await withTemporaryFolder(async (folder) => {
    for (const [file, text] of Object.entries(write(folder))) await writeFile(path.join(folder, file), text);
    outcome = await loadEndpoints(folder).then(
      (registry) => registry.all().map(({ name }) => name),
      (error: unknown) => (error as Error).message,
    );
  });
  return outcome;
};

describe('loadEndpoints', () => {
  it.each([
    ['functions.invocation-stats', [1000, 900, 300, 'disabled']],
    ['get-grouped-stats-events-logs', [1000, 1000, 0, 'disabled']],
    ['get-grouped-stats-redirects', [1000, 300, 1800, 'disabled']],
    ['logs.all', [1000, 'disabled', 0, 'disabled']],
    ['usage.api-counts', [1000, 900, 300, 'disabled']],
  ] as const)(
    'loads %s with the id that callers have saved, and its execution settings',
    async (name, expected) => {
      const endpoint = (await loadEndpoints(ENDPOINTS_FOLDER)).find(SHIPPED_ENDPOINTS[name]);
      const { maxRows, caching, warming, sandboxing } = endpoint?.settings ?? {};
      expect(endpoint?.name).toBe(name);
      expect([maxRows, caching, warming, sandboxing]).toEqual(expected);
    },
  );

  it('ignores files that are not endpoint files', async () => {
    const loaded = await outcomeOf((folder) => ({
      'first.ts': fileOf(folder),
      'first.d.ts': 'export {};',
      'first.js.map': '{}',
      'README.md': '# Endpoints',
    }));
    expect(loaded).toEqual(['first']);
  });

  it('rejects a folder without endpoint files', async () => {
    expect(await outcomeOf(() => ({ 'README.md': '' }))).toMatch(/^no endpoint files in /);
  });

  it('reports the file of an invalid definition, and what is wrong', async () => {
    const message = await outcomeOf((folder) => ({ 'first.ts': fileOf(folder, 'maxRows: 0,') }));
    expect(message).toBe('endpoints/first.ts: maxRows 0 must be a whole number of at least 1');
  });

  it('reports the file and position of an undeclared parameter', async () => {
    const message = await outcomeOf((folder) => ({
      'first.ts': fileOf(folder, 'build: ({ town }) => sql`SELECT ${town}`,'),
    }));
    expect(message).toMatch(/^endpoints\/first\.ts: build: after "SELECT" there is an undeclared parameter/);
  });

  it('reports the file that throws while it loads', async () => {
    const message = await outcomeOf(() => ({ 'first.ts': 'throw new Error("boom");' }));
    expect(message).toBe('endpoints/first.ts: boom');
  });

  it.each([
    ['no default export', 'export const endpoint = 1;'],
    ['a default export that is not an endpoint', 'export default { name: "first" };'],
  ])('reports the file that has %s', async (_what, text) => {
    const message = await outcomeOf(() => ({ 'first.ts': text }));
    expect(message).toBe('endpoints/first.ts: the default export is not the result of defineEndpoint');
  });

  it('rejects a file that does not have the name of its endpoint', async () => {
    const message = await outcomeOf((folder) => ({ 'second.ts': fileOf(folder) }));
    expect(message).toBe('endpoints/second.ts: the endpoint first must be in the file first.ts');
  });

  it('rejects two files with the same id, and names both endpoints', async () => {
    const message = await outcomeOf((folder) => ({
      'first.ts': fileOf(folder),
      'second.ts': fileOf(folder, "name: 'second',"),
    }));
    expect(message).toMatch(/^endpoints first and second have the same id/);
  });
});
