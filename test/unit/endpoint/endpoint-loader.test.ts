import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';

import { textOfProblem } from '../../../src/endpoint/file-problems.js';
import { EndpointLoader } from '../../../src/endpoint/endpoint-loader.js';
import { writeFiles } from '../../support/project-folder.js';
import { sqlEndpointFile } from '../../support/sql-endpoint-file.js';
import { withTemporaryFolder } from '../../support/temporary-folder.js';
import { SECOND, typescriptFile } from '../../support/typescript-files.js';

const COLUMNS = ['columns: { n: UInt8 }'];

describe('EndpointLoader', () => {
  it('shows the line of a problem with carets, in TypeScript too', async () => {
    await withTemporaryFolder(async (folder) => {
      const syntax = 'export default {\n  b: ,\n};';
      await writeFiles(folder, { 'first.ts': typescriptFile('maxRows: 0,'), 'syntax.ts': syntax });
      const { problems } = await new EndpointLoader(folder).load();
      expect(problems.map(({ excerpt }) => excerpt)).toEqual([
        '        maxRows: 10,\n        ^^^^^^^^^^^^',
        '      b: ,\n         ^',
      ]);
    });
  });

  it('loads what is valid, beside the problems of what is not', async () => {
    await withTemporaryFolder(async (folder) => {
      const files = { 'first.ts': typescriptFile(), 'broken.ts': 'export default 1;', 'second.ts': SECOND };
      await writeFiles(folder, files);
      const { endpoints, problems } = await new EndpointLoader(folder).load();
      expect([...endpoints.values()].map(({ name }) => name)).toEqual(['first', 'second']);
      expect(problems.map(({ file }) => path.basename(file ?? ''))).toEqual(['broken.ts']);
    });
  });

  it('loads a file again when a module that it imports has changed', async () => {
    await withTemporaryFolder(async (folder) => {
      const loader = new EndpointLoader(folder);
      const summaries = async (): Promise<readonly string[]> =>
        [...(await loader.load()).endpoints.values()].map(({ summary }) => summary);
      const importing = `import { TEXT } from './_text.js'; ${typescriptFile('summary: TEXT,')}`;
      await writeFiles(folder, { '_text.ts': "export const TEXT = 'Before.';", 'first.ts': importing });
      expect(await summaries()).toEqual(['Before.']);
      await writeFiles(folder, { '_text.ts': "export const TEXT = 'After.';" });
      expect(await summaries()).toEqual(['After.']);
    });
  });

  it('keeps the endpoint of a file when a copy with its id appears, whichever is first by name', async () => {
    await withTemporaryFolder(async (folder) => {
      const loader = new EndpointLoader(folder);
      const named = async (): Promise<readonly string[]> =>
        [...(await loader.load()).endpoints.values()].map(({ name }) => name);
      await writeFiles(folder, { 'first.ts': typescriptFile() });
      expect(await named()).toEqual(['first']);
      await writeFiles(folder, { 'a.ts': typescriptFile("name: 'a',") });
      expect(await named()).toEqual(['first']);
      const { problems } = await loader.load();
      expect(problems.map(textOfProblem).join()).toMatch(
        /a\.ts:5: \S*first\.ts has the same id 1111.*here is a new one/,
      );
    });
  });

  it('rejects links out of the project, and shows nothing of what they lead to', async () => {
    await withTemporaryFolder(async (outside) => {
      await withTemporaryFolder(async (project) => {
        const folder = path.join(project, 'endpoints');
        await writeFiles(outside, { 'secret.sql': 'SECRET', 'more/secret.ts': 'SECRET' });
        await writeFiles(project, { 'shared/_text.sql': sqlEndpointFile('a', COLUMNS, 'SELECT 1 AS n') });
        await mkdir(folder);
        await symlink('../shared/_text.sql', path.join(folder, 'a.sql'));
        await symlink(path.join(outside, 'secret.sql'), path.join(folder, 'b.sql'));
        await symlink(path.join(outside, 'more/secret.ts'), path.join(folder, 'c.ts'));
        await symlink(path.join(outside, 'more'), path.join(folder, 'd'));
        const { endpoints, problems } = await new EndpointLoader(folder).load();
        expect([...endpoints.keys()]).toEqual(['endpoints/a.sql']);
        expect(problems.map(textOfProblem)).toEqual(
          ['b.sql', 'c.ts', 'd'].map(
            (file) =>
              `endpoints/${file}: this is a link that leads out of the project: put what it leads to into the project`,
          ),
        );
      });
    });
  });

  it('reads files in SQL of up to 256 KiB', async () => {
    await withTemporaryFolder(async (folder) => {
      const text = sqlEndpointFile('a', COLUMNS, 'SELECT 1 AS n');
      await writeFiles(folder, { 'a.sql': text.padEnd(256 * 1024) });
      expect((await new EndpointLoader(folder).load()).problems).toEqual([]);
      await writeFiles(folder, { 'a.sql': text.padEnd(256 * 1024 + 1) });
      expect((await new EndpointLoader(folder).load()).problems.map(textOfProblem).join()).toMatch(
        /a\.sql: the file has 262145 bytes; an endpoint in SQL may have 262144: shorten it$/,
      );
    });
  });

  it('reads a file in SQL only where its text has changed', async () => {
    await withTemporaryFolder(async (folder) => {
      const loader = new EndpointLoader(folder);
      const text = sqlEndpointFile('a', ['columns: { n: UInt8 }'], 'SELECT 1 AS n');
      await writeFiles(folder, { 'a.sql': text });
      const [first] = (await loader.load()).endpoints.values();
      const [again] = (await loader.load()).endpoints.values();
      expect(again).toBe(first);
      await writeFiles(folder, { 'a.sql': text.replace('1 AS n', '2 AS n') });
      const [changed] = (await loader.load()).endpoints.values();
      expect(changed?.digest).not.toBe(first?.digest);
    });
  });
});
