import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { projectIn } from '../../../../src/gateway/config/project.js';
import { watchProject, type ChangedPart } from '../../../../src/commands/dev/watch-project.js';
import { pollUntil } from '../../../support/poll-until.js';
import { withTemporaryFolder } from '../../../support/temporary-folder.js';

describe('watchProject', () => {
  it('reports files of each part, and nothing of the database, other kinds and hidden folders', async () => {
    await withTemporaryFolder(async (temporary) => {
      const folder = path.join(temporary, '.a [project]');
      const write = async (file: string): Promise<void> => {
        await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
        await writeFile(path.join(folder, file), 'text');
      };
      await write('endpoints/a.sql');
      await write('endpoints/folder/b.sql');
      const seen = new Map<ChangedPart, Set<string>>();
      const watcher = await watchProject(projectIn(folder), path.join(folder, 'data'), {
        onChange: (files) => {
          for (const [part, names] of files) {
            const known = seen.get(part) ?? new Set();
            seen.set(part, new Set([...known, ...names.map((name) => path.relative(folder, name))]));
          }
        },
        onError: (error) => {
          throw error;
        },
      });
      try {
        const ignored = ['data/x.sql', '.git/x.sql', 'node_modules/x.js', 'endpoints/a.sql~', 'README.md'];
        for (const file of ignored) await write(file);
        await rename(path.join(folder, 'endpoints/folder'), path.join(folder, 'endpoints/other'));
        for (const file of ['.env', 'clickhouse-schema/0001_a.sql', 'demo/a.sql', '_shared.ts'])
          await write(file);
        const expected = {
          endpoints: ['endpoints/other/b.sql', '_shared.ts'],
          schema: ['clickhouse-schema/0001_a.sql'],
          demo: ['demo/a.sql'],
          environment: ['.env'],
        };
        await pollUntil('each part is reported', () =>
          Object.entries(expected).every(([part, files]) =>
            files.every((file) => seen.get(part as ChangedPart)?.has(file)),
          )
            ? true
            : undefined,
        );
        expect(ignored.filter((file) => [...seen.values()].some((files) => files.has(file)))).toEqual([]);
      } finally {
        await watcher.close();
      }
    });
  });
});
