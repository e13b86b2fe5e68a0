import { keyNamed } from '../../support/access-gateway.js';
import { createTestDatabase, type TestDatabase } from '../../support/clickhouse.js';
import { variablesOf } from '../../support/demo-database.js';
import { freePort } from '../../support/free-port.mjs';
import { connectBridge, type BridgedClient } from '../../support/mcp-bridge.js';
import { REVISIONS, rowsOfTool, textOfTool, type Revision } from '../../support/mcp-client.js';
import { GATEWAY, startProcess, type RunningProcess } from '../../support/start-process.js';
import { makeTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';
import { urlOf } from '../../support/with-gateway.js';
import { writeKeys } from '../../support/write-keys.js';

const STATS = { name: 'functions_invocation-stats', arguments: { interval: '1day' } };

let database: TestDatabase;
let folder: TemporaryFolder;
let environment: Readonly<Record<string, string>>;
let gateway: RunningProcess;
let url: string;

const start = async (): Promise<void> => {
  gateway = startProcess(GATEWAY, environment);
  url = await urlOf(gateway);
};
const stop = async (): Promise<void> => {
  gateway.child.kill('SIGKILL');
  await gateway.ended;
};

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await makeTemporaryFolder();
  const timestamp = new Date(Date.now() - 60_000).toISOString().replace('Z', '');
  const rows = ['aurora', 'boreal'].map((project) => ({ project, timestamp, execution_time_ms: 1 }));
  await database.insert('function_relay_logs', rows);
  environment = {
    ...variablesOf(database.connection),
    PORT: String(await freePort()),
    API_KEYS_FILE: await writeKeys(folder.path, { aurora: { fixed: { project: 'aurora' } } }),
  };
  await start();
});
afterAll(async () => {
  await stop();
  await database.close();
  await folder.remove();
});

/** Bridges that end with their test, also where it fails. */
const connected: BridgedClient[] = [];
afterEach(async () => {
  for (const { close } of connected.splice(0)) await close();
});
const connect = async (revision: Revision, key = keyNamed('aurora')): Promise<BridgedClient> => {
  const bridged = await connectBridge(revision, ['--url', url, '--key', key]);
  connected.push(bridged);
  return bridged;
};

describe.each(REVISIONS)('querygate mcp between a client of the revision %s and a gateway', (revision) => {
  it('lists and calls the tools of its key, passes on errors, and reads resources', async () => {
    const { client, close } = await connect(revision);
    expect(client.getServerVersion()).toMatchObject({ name: 'querygate' });
    expect(client.getInstructions()).toContain('max_rows');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([STATS.name, 'logs_all', 'usage_api-counts']);
    expect(rowsOfTool(await client.callTool(STATS)).rows).toHaveLength(1);
    const invalid = await client.callTool({ ...STATS, arguments: { intervl: '1day' } });
    expect([invalid.isError, textOfTool(invalid)]).toEqual([
      true,
      expect.stringContaining(
        '- intervl is no argument of this tool, which has function_id, interval, max_rows',
      ),
    ]);
    await expect(client.callTool({ name: 'nothing' })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('No tool that this key may call') as string,
    });
    const { resources } = await client.listResources();
    const [{ uri } = { uri: '' }] = resources;
    const { contents } = await client.readResource({ uri });
    expect(contents).toEqual([expect.objectContaining({ uri, mimeType: 'application/json' })]);
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(1);
    await expect(client.readResource({ uri: 'querygate://endpoints/none' })).rejects.toMatchObject({
      code: -32_602,
      data: { uri: 'querygate://endpoints/none' },
    });
    expect(await close()).not.toContain(keyNamed('aurora'));
  });

  it('reports that the gateway rejects its key, and does not show the key', async () => {
    const { client, close } = await connect(revision, 'wrong-key');
    for (const sent of [client.listTools(), client.callTool(STATS), client.listResources()]) {
      await expect(sent).rejects.toThrow(`The gateway at ${url} rejected the request: Invalid API key (401`);
    }
    expect(await close()).not.toContain('wrong-key');
  });
});
