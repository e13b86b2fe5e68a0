import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { ClickHouseError } from '@clickhouse/client';

import { EmbeddedServer } from '../../../src/commands/embedded/embedded-server.js';
import { connectClickHouse, type QueryClient } from '../../../src/gateway/clickhouse/connect-clickhouse.js';
import { createTestDatabase } from '../../support/clickhouse.js';
import { variablesOf } from '../../support/demo-database.js';
import { REFERENCE } from '../../support/reference-project.js';
import { runCli } from '../../support/run-cli.js';
import { sqlEndpointFile } from '../../support/sql-endpoint-file.js';
import { withTemporaryFolder } from '../../support/temporary-folder.js';
import { urlOf, withGateway } from '../../support/with-gateway.js';

const PASSWORDS = { reader_password: 'of reader', log_password: "of 'log", versions_password: 'of versions' };

/** The statements of a text whose texts have no semicolons. */
const statementsOf = (text: string): readonly string[] =>
  text
    .replaceAll(/^--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');

/**
 * The users file that says the same as the statements of `querygate grants`: the engine of the tests stores no users, so that
 * nothing else can create them. It compares the two itself ({@link showsThem}).
 */
function usersFileOf(statements: readonly string[]): string {
  const match = (pattern: RegExp): readonly (readonly string[])[] =>
    statements.flatMap((statement) => {
      const groups = pattern.exec(statement);
      return groups ? [groups.slice(1)] : [];
    });
  const profiles = match(/^ALTER SETTINGS PROFILE (\w+) SETTINGS\s+([^]*)$/).map(
    ([profile = '', settings = '']) => {
      const each = settings
        .split(',')
        .map(
          (setting) =>
            /^(\w+)(?: = (\w+))?(?: MIN (\w+))?(?: MAX (\w+))?( CONST)?$/.exec(setting.trim()) ?? [],
        );
      const values = each.map(([, name = '', value]) =>
        value === undefined ? '' : `<${name}>${value}</${name}>`,
      );
      const constraints = each.map(([, name = '', , min, max, constant]) => {
        const content = [min && `<min>${min}</min>`, max && `<max>${max}</max>`, constant && '<readonly/>'];
        return content.some(Boolean) ? `<${name}>${content.join('')}</${name}>` : '';
      });
      return `<${profile}>${values.join('')}<constraints>${constraints.join('')}</constraints></${profile}>`;
    },
  );
  const ofUser = new Map(
    match(/^ALTER USER (\w+) SETTINGS PROFILE (\w+)$/) as readonly (readonly [string, string])[],
  );
  const users = match(/^CREATE USER IF NOT EXISTS (\w+) .*\{(\w+):String\}$/).map(
    ([user = '', parameter = '']) => {
      const hash = createHash('sha256')
        .update(PASSWORDS[parameter as keyof typeof PASSWORDS])
        .digest('hex');
      const grants = match(new RegExp(`^(GRANT .*) TO ${user}$`)).map(
        ([grant]) => `<query>${grant ?? ''}</query>`,
      );
      return (
        `<${user}><password_sha256_hex>${hash}</password_sha256_hex><networks><ip>::/0</ip></networks>` +
        `<profile>${ofUser.get(user) ?? 'default'}</profile><grants>${grants.join('')}</grants></${user}>`
      );
    },
  );
  const admin = '<querygate_admin><access_management>1</access_management></querygate_admin>';
  return `<clickhouse><profiles>${profiles.join('')}</profiles><users>${users.join('')}${admin}</users></clickhouse>`;
}

/** ClickHouse accepts each statement, up to the storage of users that this engine lacks. Without a password it does not. */
async function rejectsOnlyToStore(client: QueryClient, statements: readonly string[]): Promise<void> {
  const codeOf = (query: string, parameters: object): Promise<string> =>
    client.command({ query, query_params: { ...parameters } }).then(
      () => 'none',
      (error: unknown) => (error as ClickHouseError).type ?? '',
    );
  for (const query of statements) {
    expect([query, await codeOf(query, PASSWORDS)]).toEqual([query, 'ACCESS_STORAGE_READONLY']);
    if (query.startsWith('CREATE USER')) expect(await codeOf(query, {})).toBe('UNKNOWN_QUERY_PARAMETER');
  }
}

/** What ClickHouse shows of the users and profiles is what the statements say. */
async function showsThem(client: QueryClient, statements: readonly string[]): Promise<void> {
  const shown = async (query: string): Promise<string> =>
    (await text((await client.exec({ query })).stream)).trim();
  const profile = statements.find((each) => each.startsWith('ALTER SETTINGS PROFILE')) ?? '';
  expect(
    (await shown('SHOW CREATE SETTINGS PROFILE reader FORMAT TSVRaw')).replaceAll(/(?<=\d)\.(?!\d)/g, ''),
  ).toBe(
    profile
      .replace('ALTER SETTINGS PROFILE reader', 'CREATE SETTINGS PROFILE `reader`')
      .replaceAll(/\s+/g, ' '),
  );
  for (const user of ['reader', 'querygate_log', 'querygate_versions']) {
    const grants = statements.filter((each) => each.endsWith(` TO ${user}`));
    expect((await shown(`SHOW GRANTS FOR ${user} FORMAT TSVRaw`)).split('\n').sort()).toEqual(
      [...grants].sort(),
    );
  }
}

describe('querygate grants', () => {
  it('prints the users in SQL, for the names, the database and the cluster that are configured', async () => {
    const database = await createTestDatabase();
    try {
      const variables = { ...variablesOf(database.connection), CLICKHOUSE_CLUSTER: 'main' };
      const { code, stdout, stderr } = await runCli(
        ['grants', '--user', 'reader', '--project', REFERENCE.folder],
        { ...variables, CLICKHOUSE_VERSIONS_USER: 'of-versions' },
      );
      expect([code, stderr]).toEqual([0, '']);
      const statements = statementsOf(stdout);
      expect(statements).toContain(`GRANT ON CLUSTER main SELECT ON ${database.name}.edge_logs TO reader`);
      expect(statements).toContain(
        `GRANT ON CLUSTER main INSERT ON ${database.name}.gateway_requests_local TO querygate_log`,
      );
      expect(statements).toContain(
        'CREATE USER IF NOT EXISTS `of-versions` ON CLUSTER main IDENTIFIED WITH sha256_password BY {versions_password:String}',
      );
      expect(statements).toEqual([...new Set(statements)]);
      const ofReader = statements.filter((each) => each.endsWith('TO reader'));
      expect(ofReader.join('\n')).not.toMatch(/_local|schema_migrations|\*/);
      // ClickHouse parses each of them.
      for (const query of statements)
        await database.client.command({ query: `EXPLAIN AST ${query}`, query_params: PASSWORDS });
    } finally {
      await database.close();
    }
  });

  it('prints all the SQL that a gateway needs in an empty ClickHouse', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'endpoints');
      const schema = path.join(folder, 'clickhouse-schema');
      await mkdir(file);
      await mkdir(schema);
      await writeFile(
        path.join(schema, '0001_cities.sql'),
        'CREATE TABLE cities (city String) ENGINE = MergeTree ORDER BY city;',
      );
      const header = ['columns: { city: String }', 'caching: until-changed'];
      await writeFile(
        path.join(file, 'cities.sql'),
        sqlEndpointFile('cities', header, 'SELECT city FROM cities'),
      );
      const project = ['--project', folder];
      const { code, stdout, stderr } = await runCli(['grants', '--user', 'reader', ...project], {
        CLICKHOUSE_DATABASE: 'shop',
      });
      expect([code, stderr]).toEqual([0, '']);
      const statements = statementsOf(stdout);
      const usersFolder = path.join(folder, 'server/clickhouse/users.d');
      await mkdir(usersFolder, { recursive: true });
      await writeFile(path.join(usersFolder, 'as-sql.xml'), usersFileOf(statements));
      const server = await EmbeddedServer.start({
        dataDir: path.join(folder, 'server'),
        database: 'shop',
        onCrash: () => undefined,
      });
      const { url } = server.adminConnection;
      const client = connectClickHouse(server.adminConnection, {
        maxOpenConnections: 1,
        requestTimeoutMs: 30_000,
      });
      try {
        const migrated = await runCli(['migrate', ...project], variablesOf(server.adminConnection));
        expect([migrated.code, migrated.stderr]).toEqual([0, expect.anything()]);
        await rejectsOnlyToStore(client, statements);
        await showsThem(client, statements);
        await client.command({ query: "INSERT INTO cities VALUES ('Rome')" });
        const environment = {
          ...{ PROJECT_DIR: folder, CLICKHOUSE_URL: url, CLICKHOUSE_DATABASE: 'shop', API_KEY: 'operator' },
          ...{ CLICKHOUSE_USER: 'reader', CLICKHOUSE_PASSWORD: PASSWORDS.reader_password },
          ...{ CLICKHOUSE_LOG_USER: 'querygate_log', CLICKHOUSE_LOG_PASSWORD: PASSWORDS.log_password },
          ...{
            CLICKHOUSE_VERSIONS_USER: 'querygate_versions',
            CLICKHOUSE_VERSIONS_PASSWORD: PASSWORDS.versions_password,
          },
          LOG_LEVEL: 'warn',
        };
        const checked = await runCli(['check', 'cities', ...project], environment);
        expect([checked.code, checked.stderr, checked.stdout]).toEqual([
          0,
          '',
          expect.stringMatching(/^cities +ok/m),
        ]);
        await withGateway({ ...environment, LOG_LEVEL: 'info' }, async (gateway) => {
          const target = `${await urlOf(gateway)}/api/endpoints/query/cities`;
          const call = async (): Promise<readonly unknown[]> => {
            const response = await fetch(target, { headers: { 'X-API-KEY': 'operator' } });
            return [response.status, response.headers.get('X-Cache'), await response.text()];
          };
          expect(await call()).toEqual([200, 'MISS', '{"result":[{"city":"Rome"}]}']);
          // Only the user of versions can tell that the table is the same.
          expect(await call()).toEqual([200, 'HIT', '{"result":[{"city":"Rome"}]}']);
          gateway.child.kill('SIGTERM');
          await gateway.ended;
        });
        const logged = await client.query({
          query: 'SELECT count() AS n FROM gateway_requests',
          format: 'JSONEachRow',
        });
        expect(await logged.json()).toEqual([{ n: 2 }]);
      } finally {
        await client.close();
        await server.stop();
      }
    });
  });
});
