import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';

import { connectClickHouse } from '../../../src/gateway/clickhouse/connect-clickhouse.js';
import type { ClickHouseConnection } from '../../../src/gateway/clickhouse/connection.js';
import {
  EmbeddedServer,
  type EmbeddedServerOptions,
} from '../../../src/commands/embedded/embedded-server.js';
import { readerUserFile } from '../../../src/commands/grants/reader-user-file.js';
import { grantReader } from '../../../src/commands/embedded/grant-reader.js';
import { defineEndpoint, type Endpoint } from '../../../src/endpoint/endpoint.js';
import { sql, type Sql } from '../../../src/endpoint/sql.js';
import { pollUntil } from '../../support/poll-until.js';
import { SAMPLE } from '../../support/sample-endpoint.js';
import { makeTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';

let folder: TemporaryFolder;
let server: EmbeddedServer;
const crashes: string[] = [];

const start = (options: Pick<EmbeddedServerOptions, 'grants'> = {}): Promise<EmbeddedServer> =>
  EmbeddedServer.start({
    ...options,
    dataDir: folder.path,
    database: 'logs',
    onCrash: (message) => crashes.push(message),
  });

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  server = await start();
  const admin = { ...server.adminConnection, database: 'default' };
  await rowsOf(admin, 'CREATE DATABASE logs');
  for (const table of ['a', 'b', 'vault']) {
    await rowsOf(
      admin,
      `CREATE TABLE logs.${table} ENGINE = MergeTree ORDER BY () AS SELECT '${table}' AS city`,
    );
  }
});

afterAll(async () => {
  await server.stop();
  await folder.remove();
});

/** Runs a statement as one user; returns the first column of its rows. */
async function rowsOf(connection: ClickHouseConnection, query: string): Promise<readonly string[]> {
  const client = connectClickHouse(connection, { maxOpenConnections: 1, requestTimeoutMs: 20_000 });
  try {
    const { stream } = await client.exec({ query });
    return (await text(stream)).split('\n').slice(0, -1);
  } finally {
    await client.close();
  }
}

const endpoint = (query: Sql): Endpoint => defineEndpoint({ ...SAMPLE, build: () => query });
const asReader = (query: string): Promise<readonly string[]> => rowsOf(server.readerConnection, query);

/** One gateway's life on the data folder: each test continues where the one before it ended. */
describe('the reader of an embedded server', () => {
  it('has no rights in a new data folder', async () => {
    await expect(asReader('SELECT city FROM logs.a')).rejects.toThrow('SELECT');
    await expect(asReader('SHOW GRANTS')).resolves.toEqual([]);
  });

  it('gets exactly what the endpoints need, at the same address, and nothing that looks like a crash', async () => {
    const before = { reader: server.readerConnection, pid: server.pid };
    const { problems } = await grantReader(server, folder.path, [endpoint(sql`SELECT city FROM a`)]);
    expect(problems).toEqual([]);
    expect(server.readerConnection).toEqual(before.reader);
    expect(server.pid).not.toBe(before.pid);
    await expect(asReader('SHOW GRANTS')).resolves.toEqual(['GRANT SELECT ON logs.a TO querygate']);
    await expect(asReader('SELECT city FROM logs.a')).resolves.toEqual(['a']);
    await expect(asReader('SELECT city FROM logs.vault')).rejects.toThrow(
      'necessary to have the grant SELECT',
    );
    await expect(asReader("SELECT city FROM merge('logs', '.*')")).resolves.toEqual(['a']);
    expect(crashes).toEqual([]);
  });

  it('has them from the next start on, without another restart', async () => {
    await server.stop();
    server = await start();
    const { pid } = server;
    await expect(asReader('SELECT city FROM logs.a')).resolves.toEqual(['a']);
    await grantReader(server, folder.path, [endpoint(sql`SELECT city FROM a WHERE city != ''`)]);
    expect(server.pid).toBe(pid);
  });

  it('keeps those of the last start beside those of another endpoint, until a start names others', async () => {
    await grantReader(server, folder.path, [endpoint(sql`SELECT city FROM b`)], { extend: true });
    const both = ['a', 'b'].map((table) => `GRANT SELECT ON logs.${table} TO querygate`);
    await expect(asReader('SHOW GRANTS')).resolves.toEqual(both);
    await server.stop();
    server = await start({ grants: ['GRANT SELECT ON logs.a'] });
    await expect(asReader('SHOW GRANTS')).resolves.toEqual(both.slice(0, 1));
  });

  it('loses what no endpoint needs any more', async () => {
    await grantReader(server, folder.path, [endpoint(sql`SELECT city FROM b`)]);
    await expect(asReader('SHOW GRANTS')).resolves.toEqual(['GRANT SELECT ON logs.b TO querygate']);
    await expect(asReader('SELECT city FROM logs.a')).rejects.toThrow('necessary to have the grant SELECT');
  });

  it('gets the rest where one endpoint cannot be analysed', async () => {
    const { problems } = await grantReader(server, folder.path, [
      endpoint(sql`SELECT city FROM missing`),
      endpoint(sql`SELECT city FROM b`),
    ]);
    expect(problems).toEqual([
      {
        endpoint: 'sample',
        text: expect.stringMatching(/^reads logs\.missing, /) as string,
        unseenTable: 'missing',
      },
    ]);
    await expect(asReader('SELECT city FROM logs.b')).resolves.toEqual(['b']);
  });

  it('has them after a crash of the server', async () => {
    const { pid = 0 } = server;
    process.kill(pid, 'SIGKILL');
    const rows = await pollUntil('the new process responds', async () =>
      server.pid === pid ? undefined : asReader('SELECT city FROM logs.b').catch(() => undefined),
    );
    expect(rows).toEqual(['b']);
    expect(crashes).toHaveLength(1);
  });

  it('gets system tables only where the users file of the project grants them', async () => {
    const users = endpoint(sql`SELECT name AS city FROM system.users`);
    const numbers = endpoint(sql`SELECT toString(number) AS city FROM system.numbers LIMIT 1`);
    const { problems } = await grantReader(server, folder.path, [users, numbers]);
    expect(problems.map((problem) => problem.text)).toEqual([
      'reads system.users, a system table that clickhouse-schema/users.d/querygate.xml does not grant: if callers may see it, ' +
        'run npx querygate grants --xml --out clickhouse-schema/users.d/querygate.xml',
    ]);
    await expect(asReader('SELECT name FROM system.users')).rejects.toThrow('Not enough privileges');
    await expect(asReader('SELECT number FROM system.numbers LIMIT 1')).resolves.toEqual(['0']);
    await mkdir(path.join(folder.path, 'users.d'));
    const file = readerUserFile('querygate', ['GRANT SELECT ON system.users']);
    await writeFile(path.join(folder.path, 'users.d', 'querygate.xml'), file);
    expect((await grantReader(server, folder.path, [users, numbers])).problems).toEqual([]);
    await expect(asReader('SELECT count() FROM system.users')).resolves.toEqual([
      expect.stringMatching(/^\d+$/),
    ]);
  });
});
