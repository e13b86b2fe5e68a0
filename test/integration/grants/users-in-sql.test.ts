import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { grantsInUsersFile } from '../../../src/commands/grants/reader-user-file.js';
import { versionsGrants } from '../../../src/commands/grants/versions-grants.js';
import { useTestDatabase } from '../../support/clickhouse.js';
import { variablesOf } from '../../support/demo-database.js';
import { REFERENCE } from '../../support/reference-project.js';
import { runCli } from '../../support/run-cli.js';

const PASSWORDS = { reader_password: 'of reader', log_password: "of 'log", versions_password: 'of versions' };

/** The statements of a text whose texts have no semicolons. */
const statementsOf = (text: string): readonly string[] =>
  text
    .replaceAll(/^--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');

const database = useTestDatabase();

describe('querygate grants', () => {
  it('prints the users in SQL, for the names, the database and the cluster that are configured', async () => {
    const variables = { ...variablesOf(database.connection), CLICKHOUSE_CLUSTER: 'main' };
    const { code, stdout, stderr } = await runCli(
      ['grants', '--user', 'reader', '--project', REFERENCE.folder],
      { ...variables, CLICKHOUSE_VERSIONS_USER: 'of-versions' },
    );
    expect([code, stderr]).toEqual([0, '']);
    const statements = statementsOf(stdout);
    expect(statements).toContain(`GRANT ON CLUSTER main SELECT ON ${database.name}.edge_logs TO reader`);
    expect(statements).toContain(
      'CREATE USER IF NOT EXISTS `of-versions` ON CLUSTER main IDENTIFIED WITH sha256_password BY {versions_password:String}',
    );
    expect(statements).toEqual([...new Set(statements)]);
    // With these rights, other tests log requests and read versions.
    const grantsTo = (user: string): readonly string[] =>
      statements
        .filter((each) => each.endsWith(` TO ${user}`))
        .map((each) => each.replace(' ON CLUSTER main', '').replace(` TO ${user}`, ''));
    const log = await readFile(path.join(REFERENCE.schemaFolder, 'users.d/querygate-log.xml'), 'utf8');
    const ofLog = grantsInUsersFile(log.replaceAll(' logs.', ` ${database.name}.`));
    expect(grantsTo('querygate_log')).toEqual(ofLog);
    expect(grantsTo('`of-versions`')).toEqual(versionsGrants(database.name));
    const ofReader = statements.filter((each) => each.endsWith('TO reader'));
    expect(ofReader.join('\n')).not.toMatch(/_local|schema_migrations|\*/);
    // ClickHouse parses each of them.
    for (const query of statements)
      await database.client.command({ query: `EXPLAIN AST ${query}`, query_params: PASSWORDS });
  });
});
