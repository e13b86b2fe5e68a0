import { symlink } from 'node:fs/promises';
import path from 'node:path';

import { loadEndpoints } from '../../support/load-endpoints.js';
import { referenceEndpoints } from '../../../bench/reference-project.js';
import { writeFiles, type Files } from '../../support/project-folder.js';
import { SHIPPED_ENDPOINTS } from '../../support/shipped-endpoints.js';
import { withTemporaryFolder } from '../../support/temporary-folder.js';
import { SECOND, typescriptFile } from '../../support/typescript-files.js';

/** Without the excerpts, which are indented. */
const withoutExcerpts = (message: string): string => message.replaceAll(/\n {4}.*/g, '');

/** The names of the endpoints of a project with these files in `endpoints/`, or the message of the error. */
async function outcomeOf(files: Files, beside: Files = {}): Promise<unknown> {
  let outcome: unknown;
  await withTemporaryFolder(async (project) => {
    const folder = path.join(project, 'endpoints');
    await writeFiles(folder, files);
    await writeFiles(project, beside);
    outcome = await loadEndpoints(folder).then(
      (registry) => registry.all().map(({ name }) => name),
      (error: unknown) => withoutExcerpts((error as Error).message),
    );
  });
  return outcome;
}

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
      const endpoint = (await referenceEndpoints()).find(SHIPPED_ENDPOINTS[name]);
      const { maxRows, caching, warming, sandboxing } = endpoint?.settings ?? {};
      expect(endpoint?.name).toBe(name);
      expect([maxRows, caching, warming, sandboxing]).toEqual(expected);
    },
  );

  it('loads TypeScript and JavaScript from subfolders, and ignores all other files', async () => {
    const loaded = await outcomeOf({
      'first.ts': typescriptFile(),
      'deep/er/second.mjs': SECOND,
      'third.js': typescriptFile("id: '11111111-2222-4333-8444-777777777777', name: 'third',"),
      'first.d.ts': 'export {};',
      'first.js.map': '{}',
      'README.md': '# Endpoints',
      '.hidden.ts': 'throw new Error("hidden");',
      '_shared/module.ts': 'throw new Error("shared");',
      'node_modules/some/index.js': 'throw new Error("a package");',
    });
    expect(loaded).toEqual(['first', 'second', 'third']);
  });

  it('loads a CommonJS file', async () => {
    const text = typescriptFile()
      .replace(/import (.*) from 'querygate'/, "const $1 = require('querygate')")
      .replace('export default', 'module.exports =');
    expect(await outcomeOf({ 'first.js': text })).toEqual(['first']);
  });

  it('follows links, of which a mounted Kubernetes ConfigMap consists', async () => {
    await withTemporaryFolder(async (project) => {
      const folder = path.join(project, 'endpoints');
      await writeFiles(folder, { '..2026/first.ts': typescriptFile() });
      await symlink('..2026', path.join(folder, '..data'));
      await symlink('..data/first.ts', path.join(folder, 'first.ts'));
      expect((await loadEndpoints(folder)).all()).toHaveLength(1);
    });
  });

  it('lets a file import modules beside it', async () => {
    const shared =
      "import { column } from 'querygate'; export const CITY = column('String', 'From a module.');";
    const importing = `import { CITY } from './_columns.js'; ${typescriptFile('columns: { city: CITY },')}`;
    expect(await outcomeOf({ '_columns.ts': shared, 'first.ts': importing })).toEqual(['first']);
  });

  it('gives files this gateway’s own querygate, whatever the project has installed', async () => {
    const other = {
      'node_modules/querygate/package.json':
        '{ "name": "querygate", "version": "9.9.9", "main": "index.js" }',
      'node_modules/querygate/index.js': 'throw new Error("another version");',
    };
    expect(await outcomeOf({ 'first.ts': typescriptFile() }, other)).toEqual(['first']);
  });

  it('loads a file again after a change', async () => {
    await withTemporaryFolder(async (folder) => {
      const summaryOf = async (): Promise<string | undefined> =>
        (await loadEndpoints(folder)).find('first')?.summary;
      await writeFiles(folder, { 'first.ts': typescriptFile() });
      expect(await summaryOf()).toBe('A sample.');
      await writeFiles(folder, { 'first.ts': typescriptFile("summary: 'Changed.',") });
      expect(await summaryOf()).toBe('Changed.');
    });
  });

  it('follows a link to a folder above once, and reports a link that leads nowhere', async () => {
    await withTemporaryFolder(async (project) => {
      const folder = path.join(project, 'endpoints');
      await writeFiles(folder, { 'first.ts': typescriptFile() });
      await symlink('.', path.join(folder, 'loop'));
      expect((await loadEndpoints(folder)).all()).toHaveLength(1);
      await symlink('/nowhere.ts', path.join(folder, 'dangling.ts'));
      await expect(loadEndpoints(folder)).rejects.toThrow(/^endpoints\/dangling\.ts/);
    });
  });

  it('reports the problems of all files, with their lines', async () => {
    const message = await outcomeOf({
      'a/syntax.ts': 'export default {\n  a: 1,\n  b: ,\n};',
      'first.ts': typescriptFile('maxRows: 0,'),
      'second.ts': 'export const endpoint = 1;',
      'throws-null.ts': 'throw null;',
      'throws.mjs': '\n\nthrow new Error("boom\\nsecond line");',
    });
    expect(message).toBe(
      [
        'endpoints/a/syntax.ts:3:6: syntax error: Unexpected token',
        'endpoints/first.ts:10: maxRows 0 must be a whole number of at least 1',
        'endpoints/second.ts: the default export is not the result of defineEndpoint of querygate',
        'endpoints/throws-null.ts: null',
        'endpoints/throws.mjs:3: boom',
      ].join('\n'),
    );
  });

  it.each([
    [
      'an undeclared parameter in a query',
      { 'first.ts': typescriptFile('build: ({ town }) => sql`SELECT ${town}`,') },
      /^endpoints\/first\.ts:16: build: after "SELECT" there is an undeclared parameter/,
    ],
    [
      'an unknown name of querygate',
      { 'first.ts': typescriptFile().replace('text }', 'txt }').replace('text({', 'txt({') },
      /^endpoints\/first\.ts:8: querygate has no export txt; did you mean text\?$/,
    ],
    [
      'an exception in a module that the file imports',
      { 'first.ts': "import './_shared.js';", '_shared.ts': '\nthrow new Error("boom");' },
      /^endpoints\/first\.ts: endpoints\/_shared\.ts:2: boom$/,
    ],
  ])('reports %s', async (_what, files: Files, message) => {
    expect(await outcomeOf(files)).toMatch(message);
  });
});

describe('choicesFrom', () => {
  const withChoices = (choicesFrom: string): string =>
    typescriptFile(`parameters: { city: text({ description: 'A city.', choicesFrom: ${choicesFrom} }) },`);

  it('may name another endpoint and one of its columns', async () => {
    expect(
      await outcomeOf({
        'first.ts': withChoices("{ endpoint: 'second', column: 'city' }"),
        'second.ts': SECOND,
      }),
    ).toEqual(['first', 'second']);
  });

  it('is reported for all files together, with its lines', async () => {
    const files = { 'first.ts': withChoices("{ endpoint: 'x', column: 'city' }") };
    const third = withChoices("{ endpoint: 'y', column: 'city' }")
      .replace('555555555555', '777777777777')
      .replace("'first'", "'third'");
    const outcome = await outcomeOf({ ...files, 'third.ts': third });
    expect(outcome).toMatch(/^endpoints\/first\.ts:16: [^\n]+\nendpoints\/third\.ts:16: [^\n]+$/);
  });
});
