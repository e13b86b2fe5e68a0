import { endpointFile } from '../support/endpoint-file.js';
import { writeFiles } from '../support/project-folder.js';
import { runCli } from '../support/run-cli.js';
import { sqlEndpointFile } from '../support/sql-endpoint-file.js';
import { withTemporaryFolder } from '../support/temporary-folder.js';

describe('querygate endpoints', () => {
  const columns = `n: column('UInt8', 'One.')`;

  it('lists name, form, parameters, settings, summary and file as a table and as JSON', async () => {
    await withTemporaryFolder(async (folder) => {
      const header = [
        'columns: { n: UInt8 }',
        'parameters: { city: { kind: string, required: true, description: A city. } }',
        'caching: disabled',
      ];
      const select = 'SELECT 1 AS n WHERE @city = 1';
      await writeFiles(folder, {
        'endpoints/a.sql': sqlEndpointFile('a', header, select),
        'endpoints/b.ts': endpointFile(0, 'b', columns, 'SELECT 1 AS n'),
      });
      const { code, stdout, stderr } = await runCli(['endpoints', '--project', folder]);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
        ['NAME', 'FORM', 'PARAMETERS', 'CACHING', 'WARMING', 'MAX ROWS', 'SUMMARY', 'FILE'],
        ['a', 'sql', 'city*', '-', '-', expect.any(String), 'For a test.', 'endpoints/a.sql'],
        ['b', 'ts', '-', '300', '-', '10', 'For a test.', 'endpoints/b.ts'],
        ['gateway.callers', '-', 'endpoint key_name start_time', '-', '-', '10000', expect.any(String), '-'],
        [
          'gateway.requests',
          '-',
          expect.stringContaining('endpoint key_name'),
          '-',
          '-',
          '1000',
          expect.any(String),
          '-',
        ],
        ['gateway.usage', '-', 'by since endpoint key_name', '-', '-', '10000', expect.any(String), '-'],
        [''],
      ]);
      const json = await runCli(['endpoints', '--json', '--project', folder]);
      const { endpoints } = JSON.parse(json.stdout) as { readonly endpoints: readonly object[] };
      expect(endpoints[0]).toMatchObject({
        name: 'a',
        form: 'sql',
        parameters: [{ name: 'city', kind: 'string', required: true }],
        caching: 'disabled',
        file: 'endpoints/a.sql',
      });
      expect(endpoints[2]).toMatchObject({ name: 'gateway.callers', form: 'built-in' });
    });
  });

  it('exits with 1 and names the file of an endpoint that is invalid', async () => {
    await withTemporaryFolder(async (folder) => {
      await writeFiles(folder, { 'endpoints/broken.ts': 'throw new Error();' });
      const { code, stdout, stderr } = await runCli(['endpoints'], { PROJECT_DIR: folder });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain('error: endpoints/broken.ts');
    });
  });
});
