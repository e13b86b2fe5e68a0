import { hashApiKey } from '../../src/gateway/auth/api-key.js';
import { adminConnection, connectAsAdmin } from '../support/clickhouse.js';
import { variablesOf } from '../support/demo-database.js';
import { DevProcess } from '../support/dev-process.js';
import { MountedConfigMap } from '../support/mounted-config-map.js';
import { ProjectFolder } from '../support/project-folder.js';
import { makeTemporaryFolder } from '../support/temporary-folder.js';

const idOf = (id: number): string => `61f0c404-5cb3-41e7-907b-${String(id).padStart(12, '0')}`;

/** An endpoint that returns one value. @param value SQL */
const endpoint = (name: string, id: number, value: string): string => `/*
name: ${name}
id: ${idOf(id)}
summary: For a test of querygate dev.
columns: { value: String }
example: {}
*/
SELECT toString(${value}) AS value
`;

const TABLE = 'CREATE TABLE visits (city String) ENGINE = MergeTree ORDER BY city;\n';
const ROWS = "INSERT INTO visits VALUES ('Rome'), ('Oslo');\n";

/** @param name of the folder */
async function createProject(name = 'project'): Promise<ProjectFolder> {
  const project = new ProjectFolder(await makeTemporaryFolder(), name);
  await project.write({
    'endpoints/one.sql': endpoint('one', 1, "'first'"),
    'clickhouse-schema/0001_visits.sql': TABLE,
    'demo/visits.sql': ROWS,
  });
  return project;
}

describe('querygate dev', () => {
  let project: ProjectFolder;
  let dev: DevProcess;

  beforeAll(async () => {
    project = await createProject('a project [1]');
    await project.write({ 'clickhouse-schema/0001_visits.sql': 'CREATE TABEL visits;' });
    dev = DevProcess.start(project.folder, {});
  });

  afterAll(async () => {
    dev.process.child.kill('SIGKILL');
    await dev.process.ended;
    await project.remove();
  });

  it('waits for a valid schema file, and misses no change of it', async () => {
    await dev.until(/0001_visits\.sql[^]*Waiting for a change of the files\./);
    await project.write({ 'clickhouse-schema/0001_visits.sql': TABLE });
    expect(await dev.value('one')).toBe('first');
  });

  it('serves a saved file at once, also one that an editor puts in place of another', async () => {
    await project.write({ 'endpoints/one.sql': endpoint('one', 1, "'second'") });
    await dev.untilValue('one', 'second');
    await project.write({ 'endpoints/.one.sql.swp': endpoint('one', 1, "'third'") });
    await project.rename('endpoints/.one.sql.swp', 'endpoints/one.sql');
    await dev.untilValue('one', 'third');
  });

  it('keeps what was served where a file is invalid, and names the file with its place', async () => {
    const whole = endpoint('one', 1, "'fourth'");
    await project.write({ 'endpoints/one.sql': whole.replace('summary', 'sumary') });
    const { problems } = await dev.untilState('a problem', (state) => state.problems.length > 0);
    expect(problems[0]).toMatchObject({ file: 'endpoints/one.sql', path: project.path('endpoints/one.sql') });
    expect(await dev.value('one')).toBe('third');
    await project.write({ 'endpoints/one.sql': whole });
    await dev.untilValue('one', 'fourth');
    expect((await dev.state()).problems).toEqual([]);
  });

  it.each([
    ['a query that ClickHouse rejects', endpoint('one', 1, 'no_such_column'), /no_such_column/],
    ['another column', endpoint('one', 1, "'x'").replace('{ value:', '{ other:'), /column other/],
  ])('does not serve %s', async (_what, text, problem) => {
    await project.write({ 'endpoints/one.sql': text });
    const { problems } = await dev.untilState('a problem', (state) => state.problems.length > 0);
    expect(problems[0]?.problem).toMatch(problem);
    expect(await dev.value('one')).toBe('fourth');
    await project.write({ 'endpoints/one.sql': endpoint('one', 1, "'fourth'") });
    await dev.untilState('no problem', (state) => state.problems.length === 0);
  });

  it('answers 500 ENDPOINT_INVALID for a new file whose query ClickHouse rejects', async () => {
    await project.write({ 'endpoints/new.sql': endpoint('new', 7, 'no_such_column') });
    await dev.untilState('a problem', (state) => state.problems.length > 0);
    expect((await dev.get('/api/endpoints/query/new')).body).toMatchObject({ code: 'ENDPOINT_INVALID' });
    await project.write({ 'endpoints/new.sql': endpoint('new', 7, "'new'") });
    await dev.untilValue('new', 'new');
    await project.delete('endpoints/new.sql');
    await dev.untilState('no problem', (state) => state.problems.length === 0);
  });

  it('keeps a valid version also while new tables make it analyse all definitions again', async () => {
    await project.write({ 'endpoints/one.sql': endpoint('one', 1, 'no_such_column') });
    await dev.untilState('a problem', (state) => state.problems.length > 0);
    await project.write({ 'clickhouse-schema/0003_more.sql': TABLE.replace('visits', 'more') });
    await dev.until(/applied clickhouse-schema\/0003_more\.sql/);
    await project.write({ 'endpoints/copy.sql': endpoint('copy', 1, "'a copy'") });
    await dev.until(/copy\.sql:\d+:\d+: \S*one\.sql has the same id/);
    expect(await dev.value('one')).toBe('fourth');
    await project.delete('endpoints/copy.sql');
    await project.write({ 'endpoints/one.sql': endpoint('one', 1, "'fourth'") });
    await dev.untilState('no problem', (state) => state.problems.length === 0);
  });

  it('writes the columns that a header lacks into the file', async () => {
    const file = 'endpoints/new.sql';
    await project.write({ [file]: endpoint('new', 2, "'new'").replace(/columns:.*\n/, '') });
    await dev.untilValue('new', 'new');
    expect(await project.read(file)).toContain('value: String');
  });

  it('follows folders, new names and many files at once', async () => {
    const files = Array.from({ length: 50 }, (_, index) => `many-${index}`);
    await Promise.all(
      files.map((name, index) =>
        project.write({ [`endpoints/many/${name}.sql`]: endpoint(name, 100 + index, "'many'") }),
      ),
    );
    await dev.untilState('all files', ({ endpoints }) => endpoints.length >= files.length + 4);
    await project.rename('endpoints/many', 'endpoints/moved');
    await project.write({ 'endpoints/moved/many-7.sql': endpoint('many-7', 107, "'moved'") });
    await dev.untilValue('many-7', 'moved');
    await project.delete('endpoints/moved');
    await dev.untilState('the others', ({ endpoints }) => endpoints.length === 5);
  });

  it('exchanges what two endpoints are, by their ids and names', async () => {
    await project.write({ 'endpoints/new.sql': endpoint('new', 1, "'one before'") });
    await project.write({ 'endpoints/one.sql': endpoint('one', 2, "'new before'") });
    await dev.untilValue('new', 'one before');
    await dev.untilValue('one', 'new before');
    expect(await dev.value(idOf(2))).toBe('new before');
  });

  it('applies a new schema file, and serves an endpoint over its table', async () => {
    await project.write({ 'clickhouse-schema/0002_cities.sql': TABLE.replace('visits', 'cities') });
    await dev.until(/applied clickhouse-schema\/0002_cities\.sql/);
    const text = endpoint('cities', 3, 'count()').replace(/\n$/, ' FROM cities\n');
    await project.write({ 'endpoints/cities.sql': text });
    await dev.untilValue('cities', '0');
  });

  it('says how to create the database again where an applied file changed, and serves on', async () => {
    await project.write({
      'clickhouse-schema/0001_visits.sql': TABLE.replace('city String', 'city String, n UInt8'),
    });
    const { notices } = await dev.untilState('a notice', (state) => state.notices.length > 0);
    expect(notices[0]).toMatch(/0001_visits\.sql.*querygate dev --recreate/s);
    expect(await dev.value('cities')).toBe('0');
    await project.write({ 'clickhouse-schema/0001_visits.sql': TABLE });
    await dev.untilState('no notice', (state) => state.notices.length === 0);
  });

  it('survives a file that throws, and ends with code 0 at Ctrl-C', async () => {
    await project.write({ 'endpoints/throws.ts': "throw new Error('thrown by the file');\n" });
    const { problems } = await dev.untilState('a problem', (state) => state.problems.length > 0);
    expect(problems).toMatchObject([{ file: 'endpoints/throws.ts', problem: 'thrown by the file' }]);
    await project.write({ 'demo/visits.sql': "INSERT INTO visits VALUES ('Rome');\n" });
    await dev.until(/demo\/visits\.sql changed[^]*querygate dev --recreate/);
    expect(await dev.stop()).toBe(0);
  });

  it('creates the database again with --recreate, from files whose demonstration data has changed', async () => {
    const count = endpoint('visits', 4, 'count()').replace(/\n$/, ' FROM visits\n');
    await project.write({ 'endpoints/visits.sql': count });
    dev = DevProcess.start(project.folder, {}, '--recreate');
    expect(await dev.value('visits')).toBe('1');
  });
});

describe('querygate dev with CLICKHOUSE_URL', () => {
  it('changes nothing in the database, and follows a mounted ConfigMap', async () => {
    const project = await createProject();
    const database = `dev_${process.pid}`;
    const client = connectAsAdmin();
    const tables = async (): Promise<unknown> => {
      const query =
        'SELECT database, name, metadata_modification_time FROM system.tables WHERE database = {database:String}';
      return (await client.query({ query, query_params: { database }, format: 'JSONEachRow' })).json();
    };
    await client.command({ query: `CREATE DATABASE ${database}` });
    await client.command({ query: `CREATE TABLE ${database}.kept (n UInt8) ENGINE = MergeTree ORDER BY n` });
    const before = await tables();
    await project.delete('endpoints');
    const mounted = await MountedConfigMap.mount(project.path('endpoints'), {
      'one.sql': endpoint('one', 1, "'first'"),
    });
    const tenant = { name: 'tenant', sha256: [hashApiKey('of the tenant')], endpoints: ['one'] };
    await project.write({ 'keys.json': JSON.stringify({ keys: [tenant] }) });
    const environment = { ...variablesOf(adminConnection(database)), API_KEYS_FILE: 'keys.json' };
    const dev = DevProcess.start(project.folder, { environment });
    try {
      expect(await dev.value('one')).toBe('first');
      await mounted.change({ 'one.sql': endpoint('one', 1, "'second'") });
      await dev.untilValue('one', 'second');
      await mounted.change({ 'one.sql': endpoint('one', 1, "'third'") });
      await dev.untilValue('one', 'third');
      await project.write({ 'clickhouse-schema/0002_new.sql': 'DROP TABLE kept;' });
      await dev.until(/0002_new\.sql changed\. querygate dev changes nothing[^]*querygate migrate/);
      expect(await tables()).toEqual(before);
      expect((await dev.state()).notices).toHaveLength(1);
      // A tenant sees the SQL of its calls, but no files and no mistakes.
      expect((await dev.get('/api/dev', 'of the tenant')).body).toMatchObject({ problems: [], notices: [] });
      const shown = (await dev.get('/api/dev/endpoints/one', 'of the tenant')).body;
      expect(Object.keys(shown as object).sort()).toEqual(['findings', 'name', 'parameters', 'sql']);
    } finally {
      dev.process.child.kill('SIGKILL');
      await dev.process.ended;
      await client.command({ query: `DROP DATABASE ${database} SYNC` });
      await client.close();
      await project.remove();
    }
  });

  it('refuses --recreate', async () => {
    const project = await createProject();
    const environment = variablesOf(adminConnection('default'));
    const dev = DevProcess.start(project.folder, { environment }, '--recreate');
    expect(await dev.process.ended).toBe(1);
    expect(dev.process.stderr()).toMatch(/never drops a database of CLICKHOUSE_URL/);
    await project.remove();
  });
});
