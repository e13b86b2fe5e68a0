import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import { KEYS, PagingGateway } from '../../support/paging-gateway.js';
import { readRows } from '../../support/read-formats.js';
import { runCli, type Outcome } from '../../support/run-cli.js';
import { withTemporaryFolder } from '../../support/temporary-folder.js';
import { openForAll } from '../../support/opened.js';

describe('querygate call --all', () => {
  const paging = openForAll(() => PagingGateway.open());

  const callAll = (endpoint: string, n: number, ...more: readonly string[]): Promise<Outcome> =>
    runCli(['call', endpoint, '--param', `n=${n}`, '--all', ...more], {
      QUERYGATE_URL: paging.gateway.url,
      QUERYGATE_KEY: KEYS.reader,
    });

  it.each(['json', 'ndjson', 'csv', 'tsv'] as const)('writes all pages to one file as %s', async (format) => {
    await withTemporaryFolder(async (folder) => {
      for (const n of [0, 10, 35]) {
        const file = path.join(folder, `${n}.${format}`);
        const outcome = await callAll('rows', n, '--format', format, '--output', file);
        expect(outcome).toMatchObject({ code: 0, stdout: '' });
        const rows = await readRows(format, await readFile(file));
        const numbers = rows.map((row) => Number(row['n'])).sort((a, b) => a - b);
        expect(numbers).toEqual(Array.from({ length: n }, (_each, number) => number));
      }
    });
  });

  it('writes to standard output, and sends parameters in the body', async () => {
    const { code, stdout, stderr } = await callAll('others', 25, '--post', '--format', 'ndjson');
    expect([code, stdout.trimEnd().split('\n').length, stderr]).toEqual([0, 25, '']);
  });

  it('leaves no file where a page fails, or where the endpoint has no pages', async () => {
    await withTemporaryFolder(async (folder) => {
      const output = ['--output', path.join(folder, 'rows.json')];
      const equal = await callAll('equal', 11, ...output);
      expect([equal.code, equal.stderr]).toEqual([4, expect.stringContaining('PAGES_NOT_UNIQUE')]);
      const whole = await callAll('whole', 11, ...output);
      expect([whole.code, whole.stderr]).toEqual([3, expect.stringContaining('the endpoint has no pages')]);
      expect(await readdir(folder)).toEqual([]);
      expect((await callAll('whole', 10)).code).toBe(0);
    });
  });

  it('rejects options that contradict it', async () => {
    for (const more of [
      ['--export', 'a.csv'],
      ['--sql', 'SELECT 1'],
      ['--format', 'parquet'],
      ['--format', 'table'],
    ]) {
      expect((await callAll('rows', 3, ...more)).code).toBe(2);
    }
  });
});
