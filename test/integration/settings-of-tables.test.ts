import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { EmbeddedServer } from '../../src/commands/embedded/embedded-server.js';
import { connectClickHouse } from '../../src/gateway/clickhouse/connect-clickhouse.js';
import { readConfig } from '../../src/gateway/config/config.js';
import { openGateway, type Gateway } from '../../src/gateway/server/compose.js';
import { variablesOf } from '../support/demo-database.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const KEY = 'qg_settings_of_tables';
const LOST_SHARD =
  '<clickhouse><remote_servers><lost><shard><replica><host>127.0.0.1</host><port>1</port></replica></shard></lost></remote_servers></clickhouse>';
const LOST_TABLE =
  "CREATE TABLE lost (n UInt64) ENGINE = Distributed('lost', default, shop) SETTINGS skip_unavailable_shards = 1";
const ENDPOINT = `/*
name: lost
id: 5b2f4a10-0000-4000-8000-000000000000
summary: Tested.
columns: { n: UInt64 }
caching: disabled
tables: true
exports: { maxRows: 100, maxSeconds: 20 }
*/
SELECT n FROM lost
`;

let folder: TemporaryFolder;
let server: EmbeddedServer;
let gateway: Gateway;

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  await mkdir(path.join(folder.path, 'endpoints'));
  await writeFile(path.join(folder.path, 'endpoints', 'lost.sql'), ENDPOINT);
  server = await EmbeddedServer.start({
    dataDir: path.join(folder.path, 'data'),
    ...{ database: 'default', grants: [], onCrash: () => undefined, extraConfig: LOST_SHARD },
  });
  const connection = server.adminConnection;
  const admin = connectClickHouse(connection, { maxOpenConnections: 1, requestTimeoutMs: 20_000 });
  await admin.command({ query: LOST_TABLE });
  const skipped = await admin.query({ query: 'SELECT n FROM lost', format: 'TabSeparated' });
  expect(await skipped.text()).toBe('');
  await admin.close();
  const environment = { ...variablesOf(connection), PORT: '0', SQL_PORT: '0', PROJECT_DIR: folder.path };
  const config = readConfig({ ...environment, API_KEY: KEY });
  gateway = await openGateway(config, { logger: new RecordingLogger(), clock: () => new Date() });
}, 60_000);

afterAll(async () => {
  await gateway.close(0);
  await server.stop();
  await folder.remove();
});

it.each(['', '?format=arrow', '?format=csv&export=1'])(
  'an unreachable shard is an error of a call where its table skips it (%s)',
  async (search) => {
    const headers = { 'X-API-KEY': KEY };
    const response = await fetch(`${gateway.url}/api/endpoints/query/lost${search}`, { headers });
    expect([response.status, await response.json()]).toMatchObject([503, { code: 'SHARD_UNREACHABLE' }]);
  },
);

it('an unreachable shard is an error of a statement where its table skips it', async () => {
  const headers = { 'X-ClickHouse-Key': KEY };
  const response = await fetch(gateway.sqlUrl ?? '', { method: 'POST', body: 'SELECT n FROM lost', headers });
  expect([response.status, await response.text()]).toEqual([500, expect.stringMatching(/^Code: /)]);
});
