import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { createTestDatabase } from '../../support/clickhouse.js';
import { variablesOf } from '../../support/demo-database.js';
import { READER_USER_FILE, REFERENCE } from '../../support/reference-project.js';
import { runCli } from '../../support/run-cli.js';
import { withTemporaryFolder } from '../../support/temporary-folder.js';

/** An endpoint file of a project in a temporary folder. */
const endpointFile = (name: string, query: string): string => `
import { column, defineEndpoint, sql } from 'querygate';
export default defineEndpoint({
  id: '7f3b8c52-94d1-4a86-9d0e-0f4f2f1c7a10',
  name: '${name}',
  summary: 'For a test.',
  parameters: {},
  columns: { city: column('String', 'City.') },
  maxRows: 10,
  caching: 300,
  warming: 0,
  sandboxing: 'disabled',
  example: {},
  build: () => sql\`${query}\`,
});`;

const TABLE = 'CREATE TABLE IF NOT EXISTS cities (city String) ENGINE = MergeTree ORDER BY city;\n';

async function writeProject(folder: string, query: string, usersFile?: string): Promise<void> {
  await mkdir(path.join(folder, 'endpoints'));
  await mkdir(path.join(folder, 'clickhouse-schema', 'users.d'), { recursive: true });
  await writeFile(path.join(folder, 'endpoints', 'cities.mjs'), endpointFile('cities', query));
  await writeFile(path.join(folder, 'clickhouse-schema', '0001_cities.sql'), TABLE);
  if (usersFile === undefined) return;
  await writeFile(path.join(folder, 'clickhouse-schema', 'users.d', 'querygate.xml'), usersFile);
}

describe('querygate grants', () => {
  it('prints the users file that the reference project has, with --xml', async () => {
    const { code, stdout, stderr } = await runCli(['grants', '--xml', '--project', REFERENCE.folder]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(await readFile(READER_USER_FILE, 'utf8'));
  });

  it('prints a statement for each table, for the user and the database that are named', async () => {
    const database = await createTestDatabase();
    try {
      const variables = variablesOf(database.connection);
      const { code, stdout, stderr } = await runCli(
        ['grants', '--user', 'reader', '--project', REFERENCE.folder],
        variables,
      );
      expect([code, stderr]).toEqual([0, '']);
      const lines = stdout.split('\n').slice(0, -1);
      expect(lines).toContain(`GRANT SELECT ON ${database.name}.edge_logs TO reader;`);
      expect(lines).toEqual([...new Set(lines)].sort());
      expect(lines.join('\n')).not.toMatch(/_local|schema_migrations|\*/);
      const json = await runCli(
        ['grants', '--json', '--user', 'reader', '--project', REFERENCE.folder],
        variables,
      );
      expect(JSON.parse(json.stdout)).toEqual({
        grants: lines.map((line) => line.slice(0, -1)),
        problems: [],
        warnings: [],
      });
    } finally {
      await database.close();
    }
  });

  it('exits with 1, names the endpoint and prints no grants where a query cannot be analysed', async () => {
    await withTemporaryFolder(async (folder) => {
      await writeProject(folder, 'SELECT city FROM towns');
      const { code, stdout, stderr } = await runCli(['grants', '--project', folder]);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^error: cities: reads logs\.towns, which ClickHouse does not have .*\n$/);
    });
  });

  it('rejects a user name that no users file can have', async () => {
    const { code, stderr } = await runCli(['grants', '--user', 'a<b']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('The name must be letters')]);
  });
});

describe('querygate check', () => {
  it('names a grant that the project’s users file lacks, and one that no endpoint needs', async () => {
    await withTemporaryFolder(async (folder) => {
      const committed = await readFile(READER_USER_FILE, 'utf8');
      await writeProject(folder, "SELECT 'Rome' AS city FROM cities LIMIT 1", committed);
      const { code, stderr } = await runCli(['check', '--project', folder]);
      expect(code).toBe(1);
      expect(stderr).toContain(
        'error: clickhouse-schema/users.d/querygate.xml lacks GRANT SELECT ON logs.cities; ' +
          'run querygate grants --xml > clickhouse-schema/users.d/querygate.xml\n',
      );
      expect(stderr).toContain(
        'warning: clickhouse-schema/users.d/querygate.xml has GRANT SELECT ON logs.edge_logs, which no endpoint needs; ' +
          'run querygate grants --xml > clickhouse-schema/users.d/querygate.xml\n',
      );
    });
  });

  it('accepts the users file that querygate grants has written', async () => {
    await withTemporaryFolder(async (folder) => {
      await writeProject(folder, 'SELECT city FROM cities');
      const { stdout } = await runCli(['grants', '--xml', '--project', folder]);
      await writeFile(path.join(folder, 'clickhouse-schema', 'users.d', 'querygate.xml'), stdout);
      const { code, stderr } = await runCli(['check', '--project', folder]);
      expect(code).toBe(0);
      expect(stderr).not.toContain('querygate.xml');
    });
  });
});
