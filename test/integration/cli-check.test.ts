import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import type { TableRead, ExampleRun } from '../../src/commands/check/checked-endpoint.js';
import { demoDatabase, variablesOf } from '../support/demo-database.js';
import { endpointFile } from '../support/endpoint-file.js';
import { writeFiles } from '../support/project-folder.js';
import { REFERENCE } from '../support/reference-project.js';
import { runCli } from '../support/run-cli.js';
import { sqlEndpointFile } from '../support/sql-endpoint-file.js';
import { withTemporaryFolder } from '../support/temporary-folder.js';

interface Checked {
  readonly ok: boolean;
  readonly endpoints: {
    readonly name: string;
    readonly file?: string;
    readonly ok: boolean;
    readonly problems: object[];
    readonly warnings: string[];
    readonly example?: ExampleRun & Pick<TableRead, 'parts' | 'granules'>;
    readonly tables: TableRead[];
    readonly untilChanged: { readonly possible: boolean; readonly reason?: string };
  }[];
}

describe('querygate check', () => {
  it('reports our endpoints on their demonstration data without errors', async () => {
    const { connection } = await demoDatabase();
    const { username, password } = connection;
    const variables = {
      ...variablesOf(connection),
      ...{ CLICKHOUSE_LOG_USER: username, CLICKHOUSE_LOG_PASSWORD: password },
      ...{ CLICKHOUSE_VERSIONS_USER: username, CLICKHOUSE_VERSIONS_PASSWORD: password },
    };
    const { code, stdout, stderr } = await runCli(['check', '--json'], variables);
    expect([code, stderr]).toEqual([0, '']);
    const { ok, endpoints } = JSON.parse(stdout) as Checked;
    expect([ok, endpoints.flatMap(({ problems }) => problems)]).toEqual([true, []]);
    const files = (await readdir(REFERENCE.endpointsFolder)).filter((file) => !file.startsWith('_'));
    expect(endpoints.map(({ name }) => name)).toEqual(
      [
        'gateway.callers',
        'gateway.requests',
        'gateway.usage',
        ...files.map((file) => path.parse(file).name),
      ].sort(),
    );
    const logs = endpoints.find(({ name }) => name === 'logs.all');
    expect(logs).toMatchObject({
      file: 'endpoints/logs.all.ts',
      ok: true,
      warnings: [],
      example: { rows: 100 },
    });
    const possible = endpoints.filter(
      ({ name, untilChanged }) => untilChanged.possible && !name.startsWith('gateway.'),
    );
    expect(possible.map(({ name }) => name).sort()).toEqual([
      'get-grouped-stats-events-logs',
      'get-grouped-stats-redirects',
    ]);
    expect(logs?.untilChanged).toEqual({ possible: false, reason: 'the query uses @now' });
    // The figures depend on the time of day at which the demo data ends; check-endpoint.test.ts compares exact ones.
    const [table, ...others] = logs?.tables ?? [];
    if (!table || !logs?.example) throw new Error('the example did not run');
    expect([table.table, others]).toEqual(['edge_logs', []]);
    expect(logs.example).toMatchObject({ parts: table.parts, granules: table.granules });
    expect(logs.example.milliseconds).toBeGreaterThan(0);
    expect(table.granules.read).toBeGreaterThan(0);
    expect(table.granules.read).toBeLessThan(table.granules.of);
  });

  it('exits with 1 for columns that differ and examples that fail, and warns of full scans and of no rows', async () => {
    await withTemporaryFolder(async (project) => {
      const count = `project: column('String', 'Which.'), requests: column('UInt64', 'How many.')`;
      const files = {
        'wrong.columns': endpointFile(
          0,
          'wrong.columns',
          count,
          'SELECT project, toInt32(1) AS hits FROM auth_logs',
        ),
        'wrong.query': endpointFile(1, 'wrong.query', count, 'SELECT project FROM no_such_table'),
        'full.scan': endpointFile(
          2,
          'full.scan',
          count,
          "SELECT CAST(project AS String) AS project, count() AS requests FROM edge_logs WHERE url != 'x' GROUP BY 1",
        ),
        'no.rows': endpointFile(3, 'no.rows', `one: column('UInt8', 'One.')`, 'SELECT 1 AS one WHERE 0'),
      };
      for (const [name, text] of Object.entries(files))
        await writeFiles(project, { [`endpoints/${name}.ts`]: text });
      const { connection } = await demoDatabase();
      const junit = path.join(project, 'check.xml');
      const { code, stdout, stderr } = await runCli(
        ['check', '--project', project, '--junit', junit],
        variablesOf(connection),
      );
      expect(code).toBe(1);
      expect(await readFile(junit, 'utf8')).toMatch(
        /<testsuite name="querygate check" tests="5" failures="2"[^]*<failure message="Unknown table /,
      );
      expect(stdout).toMatch(/^ENDPOINT +STATE +ROWS.*\n(full|no|wrong)/);
      expect(stdout).toMatch(/full\.scan +warning +\d+ .*edge_logs/);
      expect(stdout).toMatch(/no\.rows +warning +0 /);
      expect(stdout).toMatch(/wrong\.columns +FAULT/);
      expect(stdout).toMatch(/wrong\.query +FAULT +- /);
      expect(stderr).toContain(
        'error: wrong.columns: column requests is declared, but the query does not return it\n',
      );
      expect(stderr).toContain(
        'error: wrong.columns: column hits Int32 is returned by the query, but not declared\n',
      );
      expect(stderr).toMatch(
        /error: wrong\.query: Unknown table .*no_such_table.*\n {4}SELECT project FROM no_such_table\n {24}\^\n/,
      );
      expect(stderr.match(/error: wrong\.query/g)).toHaveLength(1);
      expect(stderr).not.toMatch(/\blog\b/);
      expect(stderr).toMatch(/warning: full\.scan: full scan: the example reads \d+ % of edge_logs/);
      expect(stderr).toContain('warning: no.rows: the example returns no rows\n');
    });
  });

  it('exits with 1 where two endpoints would be one table', async () => {
    await withTemporaryFolder(async (project) => {
      for (const [name, id] of Object.entries({ 'one.a': 'dba0', 'one-a': 'dba1' })) {
        const text = sqlEndpointFile(name, ['columns: { n: UInt8 }', 'tables: true'], 'SELECT 1 AS n');
        await writeFiles(project, { [`endpoints/${name}.sql`]: text.replace('dba0', id) });
      }
      const { code, stderr } = await runCli(['check', '--project', project]);
      expect(code).toBe(1);
      expect(stderr).toContain('endpoints one-a and one.a would both be the table one_a');
    });
  });

  it('writes a missing id and missing columns into a .sql file and says so, unless it is called with --no-write', async () => {
    await withTemporaryFolder(async (project) => {
      const file = path.join(project, 'endpoints/tenants.sql');
      const source = sqlEndpointFile('tenants', [], 'SELECT DISTINCT project FROM edge_logs');
      const withoutId = source.replace(/^id:.*\n/m, '');
      await writeFiles(project, { 'endpoints/tenants.sql': withoutId });
      const variables = variablesOf((await demoDatabase()).connection);
      const rejected = await runCli(['check', '--no-write', '--project', project], variables);
      expect([rejected.code, await readFile(file, 'utf8')]).toEqual([1, withoutId]);
      const { code, stdout, stderr } = await runCli(['check', '--json', '--project', project], variables);
      const written = await readFile(file, 'utf8');
      const [id = ''] = /^id: \S+$/m.exec(written) ?? [];
      const columns = 'columns:\n  project: LowCardinality(String)';
      expect(written).toBe(withoutId.replace('name:', `${id}\nname:`).replace('\n*/', `\n${columns}\n*/`));
      expect([code, stderr]).toEqual([
        0,
        [id, columns].map((text) => `wrote into the header of endpoints/tenants.sql:\n${text}\n`).join(''),
      ]);
      const columnsWritten = { file: 'endpoints/tenants.sql', text: columns };
      expect(JSON.parse(stdout)).toMatchObject({
        version: 1,
        endpoints: [{ name: 'tenants', file: 'endpoints/tenants.sql', ok: true, columnsWritten }],
      });
    });
  });

  it('reports once that ClickHouse is unreachable or rejects the user, or that a folder contains no endpoints', async () => {
    const unreachable = await runCli(['check'], { CLICKHOUSE_URL: 'http://127.0.0.1:1' });
    expect(unreachable).toMatchObject({ code: 1, stdout: '' });
    expect(unreachable.stderr).toMatch(
      /^error: ClickHouse at http:\/\/127\.0\.0\.1:1 does not respond: .*\n$/,
    );
    const { connection } = await demoDatabase();
    const stranger = await runCli(['check'], { ...variablesOf(connection), CLICKHOUSE_PASSWORD: 'wrong' });
    expect(stranger).toMatchObject({ code: 1, stdout: '' });
    expect(stranger.stderr).toMatch(
      /^error: ClickHouse at http:\S+ rejects the first query: .*Authentication failed[^]*are CLICKHOUSE_USER and CLICKHOUSE_PASSWORD right\?\n$/,
    );
    await withTemporaryFolder(async (folder) => {
      const empty = await runCli(['check', '--project', folder]);
      expect(empty.code).toBe(1);
      expect(empty.stderr).toContain(`error: There are no endpoint files in ${folder}/endpoints.`);
      await writeFiles(folder, { 'endpoints/broken.ts': "import './missing.js';\nexport default 1;\n" });
      const broken = await runCli(['check', '--project', folder]);
      expect(broken.stderr).toMatch(
        /^error: endpoints\/broken\.ts:1: Cannot find module '\.\/missing\.js'\n {4}import/,
      );
    });
  });
});
