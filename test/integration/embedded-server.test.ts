import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { connectClickHouse } from '../../src/gateway/clickhouse/connect-clickhouse.js';
import type { ClickHouseConnection } from '../../src/gateway/clickhouse/connection.js';
import { column } from '../../src/endpoint/definition.js';
import { EmbeddedServer } from '../../src/commands/embedded/embedded-server.js';
import { introspect } from '../../src/commands/introspect/introspect.js';
import { respondsToPing } from '../../src/commands/embedded/running-server.js';
import { createQueryRunner } from '../../src/gateway/clickhouse/query-runner.js';
import { migrate } from '../../src/commands/schema/migrate.js';
import { readSchema } from '../../src/gateway/schema/migration-files.js';
import { bindQuery } from '../../src/endpoint/bind.js';
import { validateParameters } from '../../src/gateway/query/validate-parameters.js';
import { pollUntil } from '../support/poll-until.js';
import { rawParameters } from '../support/raw-parameters.js';
import { startProcess } from '../support/start-process.js';
import { withTemporaryFolder } from '../support/temporary-folder.js';
import { REFERENCE_GRANTS } from '../support/reference-grants.mjs';
import { REFERENCE, referenceEndpoints } from '../support/reference-project.js';

let dataDir: string;
let server: EmbeddedServer;
const crashes: string[] = [];

const start = (
  folder: string,
  onCrash: (message: string) => void = () => undefined,
): Promise<EmbeddedServer> =>
  EmbeddedServer.start({ dataDir: folder, database: 'logs', grants: REFERENCE_GRANTS, onCrash });

/** Sends a query unchanged; returns ClickHouse's status and text. */
const select = async (
  { url, username, password }: Partial<ClickHouseConnection>,
  query: string,
): Promise<{ readonly status: number; readonly text: string }> => {
  const headers: Record<string, string> = {};
  if (username !== undefined) headers['X-ClickHouse-User'] = username;
  if (password !== undefined) headers['X-ClickHouse-Key'] = password;
  const response = await fetch(`${url ?? ''}/?database=logs`, { method: 'POST', body: query, headers });
  return { status: response.status, text: await response.text() };
};

async function queriesOf({ adminConnection }: EmbeddedServer): Promise<number> {
  await select(adminConnection, 'SYSTEM FLUSH LOGS');
  return Number((await select(adminConnection, 'SELECT count() FROM system.query_log')).text);
}

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'querygate-test-'));
  server = await start(dataDir, (message) => crashes.push(message));
  await migrate({ connection: server.adminConnection, schema: await readSchema(REFERENCE.schemaFolder) });
  await select(server.adminConnection, "INSERT INTO edge_logs (project) VALUES ('stored')");
});

afterAll(async () => {
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

describe('the data folder', () => {
  it('is rejected for a second server, with the owner and the remedy', async () => {
    await expect(start(dataDir)).rejects.toThrow(
      `The data folder ${dataDir} is in use by the gateway with process id ${process.pid}. ` +
        'Stop that gateway, or set DATA_DIR to another folder.',
    );
  });

  it('is rejected by the engine itself if the first server’s owner file is lost', async () => {
    const ownerFile = path.join(dataDir, 'running-server.json');
    const text = await readFile(ownerFile, 'utf8');
    await rm(ownerFile);
    await expect(start(dataDir)).rejects.toThrow(
      `The data folder ${dataDir} is in use by another ClickHouse`,
    );
    await writeFile(ownerFile, text, { mode: 0o600 });
    expect((await select(server.adminConnection, 'SELECT count() FROM edge_logs')).text).toBe('1\n');
  });

  it('has passwords only in running-server.json, which only its user can read', async () => {
    const passwords = [server.adminConnection.password, server.readerConnection.password];
    const folder = path.join(dataDir, 'clickhouse');
    const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.xml'));
    expect(files).toEqual(expect.arrayContaining(['config.xml', 'users.xml']));
    for (const file of files) {
      const text = await readFile(path.join(folder, file), 'utf8');
      for (const password of passwords) expect(text).not.toContain(password);
    }
    expect((await stat(path.join(dataDir, 'running-server.json'))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o077).toBe(0);
  });
});

describe('another user of the same machine', () => {
  it.each([
    ['without a name', () => ({})],
    ['as default', () => ({ username: 'default', password: '' })],
    ['as default with a password', () => ({ username: 'default', password: 'guess' })],
    ['as the administrator without a password', () => ({ ...server.adminConnection, password: '' })],
    [
      'as the administrator with the reader’s password',
      () => ({ ...server.adminConnection, password: server.readerConnection.password }),
    ],
    ['as the reader with a guess', () => ({ ...server.readerConnection, password: 'guess' })],
    ['as an unknown user', () => ({ username: 'nobody', password: '' })],
  ])('has no access %s', async (_how, credentials) => {
    const { status, text } = await select({ ...credentials(), url: server.adminConnection.url }, 'SELECT 42');
    expect([401, 403]).toContain(status);
    expect(text).not.toContain('42');
  });
});

describe('the reader', () => {
  it.each([
    "INSERT INTO edge_logs (project) VALUES ('x')",
    'ALTER TABLE edge_logs DELETE WHERE true',
    'TRUNCATE TABLE edge_logs',
    'DROP TABLE edge_logs',
    'DROP DATABASE logs',
    'CREATE TABLE mine (x UInt8) ENGINE = Memory',
    'CREATE TEMPORARY TABLE mine (x UInt8) ENGINE = Memory',
    "CREATE USER mine IDENTIFIED BY 'x'",
    'GRANT ALL ON *.* TO querygate',
    'SYSTEM SHUTDOWN',
    'KILL QUERY WHERE true',
  ])('cannot write: %s', async (query) => {
    const { status, text } = await select(server.readerConnection, query);
    expect(status).not.toBe(200);
    expect(text).toMatch(/ACCESS_DENIED|READONLY/);
  });

  it.each([
    'SELECT * FROM system.processes',
    'SELECT * FROM system.users',
    'SELECT * FROM system.disks',
    'SELECT * FROM system.parts',
    'SELECT * FROM system.server_settings',
    'SELECT * FROM system.numbers LIMIT 1',
    "SELECT * FROM url('http://127.0.0.1:1/', 'CSV', 'x String')",
    "SELECT * FROM file('/etc/passwd', 'LineAsString', 'x String')",
    "SELECT * FROM remote('127.0.0.1:1', system.one)",
    "SELECT * FROM mysql('127.0.0.1:1', 'a', 'b', 'c', 'd')",
    "SELECT * FROM executable('id', 'CSV', 'x String')",
    // Not covered: the function file(), which can read any file (docs/reference/sandbox.md).
  ])('cannot read anything but the tables of the database: %s', async (query) => {
    const { status, text } = await select(server.readerConnection, query);
    expect(status).not.toBe(200);
    expect(text).toContain('ACCESS_DENIED');
  });

  it.each([
    ['max_execution_time', ['0', '3601']],
    ['max_memory_usage', ['0', '4000000001']],
    ['max_rows_to_read', ['0', '20000000001']],
    ['max_bytes_to_read', ['0', '2000000000001']],
    ['max_result_rows', ['0', '1000000001']],
    ['max_result_bytes', ['0', '1000000000001']],
    ['result_overflow_mode', ["'break'"]],
    ['read_overflow_mode', ["'break'"]],
    ['timeout_overflow_mode', ["'break'"]],
    ['readonly', ['0', '1']],
    ['allow_introspection_functions', ['1']],
  ])('cannot set %s outside its constraint', async (setting, values) => {
    for (const value of values) {
      const { status, text } = await select(
        server.readerConnection,
        `SELECT 1 SETTINGS ${setting} = ${value}`,
      );
      expect(status).not.toBe(200);
      expect(text).toMatch(/SETTING_CONSTRAINT_VIOLATION|READONLY/);
    }
  });

  it('can run the example of every endpoint, and describe a table for init --from', async () => {
    const client = connectClickHouse(server.readerConnection, {
      maxOpenConnections: 2,
      requestTimeoutMs: 20_000,
    });
    const runQuery = createQueryRunner(client, { timeoutMs: 10_000 });
    const registry = await referenceEndpoints();
    const { signal } = new AbortController();
    for (const endpoint of registry.all()) {
      const values = validateParameters(endpoint, rawParameters(endpoint.example));
      const result = await runQuery({
        query: bindQuery(endpoint.query, values, new Set(), new Date(), 11),
        columns: endpoint.columns,
        ...{ rowCap: 10, requestId: 'reader-test', signal },
      });
      expect(result.truncated).toBe(false);
    }
    const { files } = await introspect({ client, now: () => new Date(), signal }, 'logs', ['edge_logs']);
    expect(files).toHaveLength(1);
    await client.close();
  });

  it('runs a query that has less than a second left, and whose time limit the gateway itself enforces', async () => {
    const client = connectClickHouse(server.readerConnection, {
      maxOpenConnections: 1,
      requestTimeoutMs: 20_000,
    });
    const run = (text: string, timeoutMs: number): Promise<unknown> =>
      createQueryRunner(client, { timeoutMs })({
        query: { text, parameters: {} },
        columns: new Map([['n', column('UInt8', '')]]),
        rowCap: 10,
        requestId: 'reader-test',
        signal: new AbortController().signal,
      });
    await expect(run('SELECT 1 AS n', 900)).resolves.toMatchObject({ truncated: false });
    await expect(run('SELECT sleep(3) AS n', 100)).rejects.toMatchObject({ code: 'QUERY_TIMEOUT' });
    await client.close();
  });
});

describe('the server', () => {
  it('restarts at the same address after its process was killed, with its data', async () => {
    const { pid } = server;
    process.kill(pid ?? 0, 'SIGKILL');
    const response = await pollUntil('the new process responds', async () => {
      if (server.pid === pid) return undefined;
      return select(server.readerConnection, 'SELECT project FROM edge_logs').catch(() => undefined);
    });
    expect(response).toEqual({ status: 200, text: 'stored\n' });
    expect(crashes).toHaveLength(1);
  });

  it('stops, unlocks its folder, and has its data the next time', async () => {
    await withTemporaryFolder(async (folder) => {
      const first = await start(folder);
      await migrate({ connection: first.adminConnection, schema: [] });
      await select(first.adminConnection, 'CREATE TABLE t ENGINE = MergeTree ORDER BY x AS SELECT 7 AS x');
      expect(await queriesOf(first)).toBeGreaterThan(0);
      await first.stop();
      expect(await respondsToPing(first.adminConnection.url)).toBe(false);
      expect(await readdir(folder)).toEqual(['clickhouse']);
      const second = await start(folder);
      expect((await select(second.adminConnection, 'SELECT x FROM t')).text).toBe('7\n');
      expect(second.adminConnection.password).not.toBe(first.adminConnection.password);
      // Also its log of queries.
      expect(await queriesOf(second)).toBeGreaterThan(0);
      await second.stop();
    });
  });

  it('ends within a second of its parent, even if the parent is killed', async () => {
    await withTemporaryFolder(async (folder) => {
      const module = new URL('../../dist/commands/embedded/embedded-server.js', import.meta.url);
      const script = path.join(folder, 'parent.mjs');
      await writeFile(
        script,
        `import { EmbeddedServer } from ${JSON.stringify(fileURLToPath(module))};
         const server = await EmbeddedServer.start({
           dataDir: ${JSON.stringify(path.join(folder, 'data'))},
           database: 'logs',
           onCrash: () => undefined,
         });
         console.log('server ' + server.adminConnection.url);`,
      );
      const parent = startProcess(script);
      const [, url = ''] = await parent.untilWritten(/server (\S+)/);
      expect(await respondsToPing(url)).toBe(true);
      parent.child.kill('SIGKILL');
      await pollUntil('nothing responds', async () => ((await respondsToPing(url)) ? undefined : true), 1000);
      // The engine locks its folder until its process ends.
      const next = await start(path.join(folder, 'data'));
      await next.stop();
    });
  });
});
