import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import { ExportingGateway, KEYS } from '../../support/exporting-gateway.js';
import { runCli, type Outcome } from '../../support/run-cli.js';
import { withTemporaryFolder } from '../../support/temporary-folder.js';
import { openForAll } from '../../support/opened.js';

describe('querygate call --export', () => {
  const gateway = openForAll(() => ExportingGateway.open());

  const exportTo = (file: string, n: number, ...more: readonly string[]): Promise<Outcome> => {
    const parameters = ['rows', '--param', `n=${n}`, '--format', 'csv', '--export', file, ...more];
    return runCli(['call', ...parameters], {
      QUERYGATE_URL: gateway.gateway.url,
      QUERYGATE_KEY: KEYS.exporter,
    });
  };

  it('writes all rows to a file', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'rows.csv');
      expect(await exportTo(file, 5000)).toMatchObject({ code: 0, stdout: '' });
      const { body } = await gateway.receive('rows?n=5000&format=csv&export=1');
      expect(await readFile(file)).toEqual(body);
    });
  });

  it('leaves no file, and exits with 5, where the transfer breaks', async () => {
    await withTemporaryFolder(async (folder) => {
      const failing = ['--param', 'failing=390000'];
      const { code, stderr } = await exportTo(path.join(folder, 'rows.csv'), 400_000, ...failing);
      expect([code, await readdir(folder)]).toEqual([5, []]);
      expect(stderr).toContain('error: ');
    });
  });

  it('rejects options that contradict it', async () => {
    await withTemporaryFolder(async (folder) => {
      for (const more of [
        ['--output', 'other.csv'],
        ['--sql', 'SELECT 1'],
      ]) {
        expect((await exportTo(path.join(folder, 'rows.csv'), 3, ...more)).code).toBe(2);
      }
    });
  });
});
