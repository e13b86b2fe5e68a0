import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import { grantsInUsersFile } from '../../../src/commands/grants/reader-user-file.js';
import { useTestDatabase } from '../../support/clickhouse.js';
import { variablesOf } from '../../support/demo-database.js';
import { endpointFile } from '../../support/endpoint-file.js';
import { writeFiles } from '../../support/project-folder.js';
import { READER_USER_FILE, REFERENCE } from '../../support/reference-project.js';
import { runCli } from '../../support/run-cli.js';
import { makeTemporaryFolder, withTemporaryFolder } from '../../support/temporary-folder.js';
import { VersionedServer } from '../../support/versioned-gateway.js';

/** An endpoint file of a project in a temporary folder. */
const citiesFile = (query: string): string =>
  endpointFile(0, 'cities', "city: column('String', 'City.')", query);

const TABLE = 'CREATE TABLE IF NOT EXISTS cities (city String) ENGINE = MergeTree ORDER BY city;\n';

const USERS = 'clickhouse-schema/users.d/querygate.xml';

const writeProject = (folder: string, query: string, usersFile?: string): Promise<void> =>
  writeFiles(folder, {
    'endpoints/cities.mjs': citiesFile(query),
    'clickhouse-schema/0001_cities.sql': TABLE,
    ...(usersFile !== undefined && { [USERS]: usersFile }),
  });

describe('querygate grants', () => {
  const database = useTestDatabase();

  it('prints the users file that the reference project has, with --xml', async () => {
    const { code, stdout, stderr } = await runCli(['grants', '--xml', '--project', REFERENCE.folder]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(await readFile(READER_USER_FILE, 'utf8'));
  });

  it('needs the table of the request log only where the gateway writes the log, also with --json', async () => {
    await withTemporaryFolder(async (folder) => {
      await writeProject(folder, 'SELECT url AS city FROM edge_logs');
      await database.client.command({ query: 'DROP TABLE gateway_requests' });
      const variables = variablesOf(database.connection);
      const args = ['grants', '--user', 'reader', '--project', folder];
      const without = await runCli([...args, '--json'], variables);
      expect([without.code, without.stderr]).toEqual([0, '']);
      expect(JSON.parse(without.stdout)).toEqual({
        grants: [`GRANT SELECT ON ${database.name}.edge_logs TO reader`],
        problems: [],
        warnings: [],
      });
      const withLog = await runCli(args, { ...variables, CLICKHOUSE_LOG_USER: 'writer' });
      expect([withLog.code, withLog.stdout]).toEqual([1, '']);
      expect(withLog.stderr).toMatch(
        /^error: gateway\.callers: reads \S+\.gateway_requests, .*\nerror: gateway\.requests: /,
      );
    });
  });

  it('writes the file of --out, and leaves it as it is on a failure', async () => {
    await withTemporaryFolder(async (folder) => {
      await writeProject(folder, 'SELECT city FROM cities');
      const users = path.join(folder, 'new', 'users.d');
      const file = path.join(users, 'querygate.xml');
      const args = ['grants', '--xml', '--out', file, '--project', folder];
      expect(await runCli(args)).toEqual({ code: 0, stdout: '', stderr: '' });
      const written = await readFile(file, 'utf8');
      expect(grantsInUsersFile(written)).toContain('GRANT SELECT ON logs.cities_local');
      await writeProject(folder, 'SELECT city FROM towns');
      expect(await runCli(args)).toMatchObject({ code: 1, stdout: '' });
      expect(await readFile(file, 'utf8')).toBe(written);
      expect(await readdir(users)).toEqual(['querygate.xml']);
    });
  });

  it('names a file of --out that it cannot write', async () => {
    await withTemporaryFolder(async (folder) => {
      await writeProject(folder, 'SELECT city FROM cities');
      const out = path.join(folder, 'endpoints');
      const { code, stderr } = await runCli(['grants', '--out', out, '--project', folder]);
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining(`${out} cannot be written, and stays as it is: `),
      ]);
      expect(await readdir(folder)).toEqual(['clickhouse-schema', 'endpoints']);
    });
  });

  it('rejects a user name that no users file can have', async () => {
    const { code, stderr } = await runCli(['grants', '--user', 'a<b']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('The name must be letters')]);
  });
});

/** An endpoint whose example reads cities; other values of its parameter read towns, and another table. */
const endpointWithChoice = (otherTable: string): string => `
import { choose, column, defineEndpoint, is, oneOf, sql } from 'querygate';
export default defineEndpoint({
  id: '7f3b8c52-94d1-4a86-9d0e-0f4f2f1c7a10',
  name: 'cities',
  summary: 'For a test.',
  parameters: { kind: oneOf(['city', 'town', 'other'], { description: 'Kind.', required: true }) },
  columns: { city: column('String', 'City.') },
  maxRows: 10,
  caching: 300,
  warming: 0,
  sandboxing: 'disabled',
  example: { kind: 'city' },
  build: ({ kind }) => sql\`SELECT city FROM \${choose(
    [is(kind, 'town'), sql\`towns\`], [is(kind, 'other'), sql\`${otherTable}\`], sql\`cities\`)}\`,
});`;

describe('querygate check', () => {
  describe('on a server of one’s own', () => {
    it('names each grant that the reader lacks, also where no example needs it, and disregards the users file', async () => {
      const result = await checkAsReader(
        ['SELECT ON logs.cities', 'SHOW TABLES ON logs.towns'],
        'towns',
        XML,
      );
      expect(result.stdout).toMatch(/^cities +ok/m);
      expect(result).toMatchObject({ code: 1 });
      expect(result.stderr).toContain(
        'error: the ClickHouse user lacks a right: run GRANT SELECT ON logs.towns TO querygate as an administrator\n',
      );
      expect(result.stderr).not.toContain('querygate.xml');
      expect(result.stderr).not.toContain('gateway_requests');
      expect(result.stderr).not.toMatch(/TO querygate[^]*TO querygate/);
    });

    it('names each table that the reader cannot see once, where the example fails for one of them', async () => {
      const { stderr } = await checkAsReader(['SELECT ON logs.towns'], 'more');
      expect(stderr.match(/error: cities: .*/g)).toEqual([
        expect.stringMatching(/the ClickHouse user \S+ lacks the right \S+ ON logs\.cities/),
        expect.stringMatching(/reads logs\.more, /),
      ]);
    });

    it('finds no fault where the reader has every grant', async () => {
      const rights = ['SELECT ON logs.cities', 'SELECT ON logs.towns'];
      const { code, stderr } = await checkAsReader(rights, 'towns');
      expect([code, stderr]).toEqual([0, '']);
    });
  });

  it('names a grant that the project’s users file lacks, and one that no endpoint needs', async () => {
    await withTemporaryFolder(async (folder) => {
      const committed = await readFile(READER_USER_FILE, 'utf8');
      await writeProject(folder, "SELECT 'Rome' AS city FROM cities LIMIT 1", committed);
      const { code, stderr } = await runCli(['check', '--project', folder]);
      expect(code).toBe(1);
      expect(stderr).toContain(
        'error: clickhouse-schema/users.d/querygate.xml lacks GRANT SELECT ON logs.cities; ' +
          'run npx querygate grants --xml --out clickhouse-schema/users.d/querygate.xml\n',
      );
      expect(stderr).toContain(
        'warning: clickhouse-schema/users.d/querygate.xml has GRANT SELECT ON logs.edge_logs, which no endpoint needs; ' +
          'run npx querygate grants --xml --out clickhouse-schema/users.d/querygate.xml\n',
      );
    });
  });

  it('accepts the users file that querygate grants has written', async () => {
    await withTemporaryFolder(async (folder) => {
      await writeProject(folder, 'SELECT city FROM cities');
      const { stdout } = await runCli(['grants', '--xml', '--project', folder]);
      await writeFiles(folder, { [USERS]: stdout });
      const { code, stderr } = await runCli(['check', '--project', folder]);
      expect(code).toBe(0);
      expect(stderr).not.toContain('querygate.xml');
    });
  });
});

const XML = `<clickhouse>
  <query>GRANT SELECT ON logs.cities</query>
  <query>GRANT SELECT ON logs.more</query>
  <query>GRANT SELECT ON logs.gateway_requests</query>
</clickhouse>`;

/** Runs the check of a project with one endpoint as a user with only these rights, on a server with all of its tables. */
async function checkAsReader(
  rights: readonly string[],
  otherTable: string,
  usersFile?: string,
): Promise<Awaited<ReturnType<typeof runCli>>> {
  const folder = await makeTemporaryFolder();
  const server = await VersionedServer.start(rights.map((right) => `GRANT ${right}`));
  try {
    for (const table of ['cities', 'towns', 'more'])
      await server.run(`CREATE TABLE ${table} ENGINE = MergeTree ORDER BY city AS SELECT 'Rome' AS city`);
    await writeProject(folder.path, '', usersFile);
    await writeFiles(folder.path, { 'endpoints/cities.mjs': endpointWithChoice(otherTable) });
    return await runCli(['check', '--project', folder.path], variablesOf(server.server.readerConnection));
  } finally {
    await server.stop();
    await folder.remove();
  }
}
