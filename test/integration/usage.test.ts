import { migrate } from '../../src/commands/schema/migrate.js';
import { readSchema } from '../../src/gateway/schema/migration-files.js';
import { keyNamed } from '../support/access-gateway.js';
import { pollUntil } from '../support/poll-until.js';
import { withTemporaryFolder } from '../support/temporary-folder.js';
import { VersionedServer, type VersionedGateway } from '../support/versioned-gateway.js';
import { writeKeys } from '../support/write-keys.js';
import { openForAll } from '../support/opened.js';

const ALL = { endpoints: ['slow', 'gateway.usage'] };

type Row = Readonly<Record<string, unknown>>;

/** Its query takes a second, so that requests at the same time share it. */
const SLOW = `/*
name: slow
id: 7d1f0c04-5cb3-41e7-907b-000000000001
summary: For a test.
caching: 60
warming: 30
parameters: { at_least: { kind: integer, default: 0, description: The least. } }
columns: { n: UInt64 }
*/
SELECT sum(id) + sleep(1) AS n FROM events WHERE id >= @at_least
`;

const LOG_PASSWORD = 'the password of the log';
const LOG_USER = { CLICKHOUSE_LOG_USER: 'querygate_log', CLICKHOUSE_LOG_PASSWORD: LOG_PASSWORD };

const server = openForAll(() => VersionedServer.start());
beforeAll(async () => {
  const connection = server.server.adminConnection;
  await migrate({ connection, schema: await readSchema('/nowhere') });
  await server.run('CREATE TABLE events (id UInt64) ENGINE = MergeTree ORDER BY id');
  await server.run('INSERT INTO events SELECT number FROM numbers(1000)');
  await server.addUsers('querygate-log.xml', LOG_PASSWORD);
});

const get = async (gateway: VersionedGateway, key: string, target: string): Promise<Response> => {
  const response = await fetch(`${gateway.gateway.url}/api/endpoints/query/${target}`, {
    headers: { 'X-API-KEY': keyNamed(key) },
  });
  await response.clone().arrayBuffer();
  return response;
};

const rowsOf = async (response: Response): Promise<readonly Row[]> =>
  ((await response.json()) as { readonly result: readonly Row[] }).result;

describe('the usage of a gateway', () => {
  it('splits the cost of a shared query among those who waited for it, and equals that of ClickHouse', async () => {
    await withTemporaryFolder(async (folder) => {
      const keys = await writeKeys(folder, {
        one: ALL,
        two: ALL,
        pinned: { ...ALL, fixed: { at_least: '1' } },
      });
      const gateway = await server.openGateway(
        { slow: SLOW },
        {
          clock: () => new Date(),
          environment: { ...LOG_USER, REQUEST_LOG: 'on', API_KEYS_FILE: keys, API_KEY: '', ADMIN_PORT: '0' },
        },
      );
      try {
        await Promise.all(['one', 'one', 'two', 'two'].map((key) => get(gateway, key, 'slow')));
        expect((await get(gateway, 'two', 'slow')).headers.get('x-cache')).toBe('HIT');
        expect((await get(gateway, 'one', 'slow?at_least=x')).status).toBe(400);
        expect((await get(gateway, 'one', 'slow?at_least=500')).status).toBe(200);
        await fetch(`${String(gateway.gateway.adminUrl)}/warming/run`, { method: 'POST' });
        const usage = await pollUntil('all requests are counted', async () => {
          const rows = await rowsOf(await get(gateway, 'one', 'gateway.usage?endpoint=slow'));
          const counted = rows.reduce((sum, { requests }) => sum + Number(requests), 0);
          return counted === 7 && rows.length === 3 ? rows : undefined;
        });
        const byName = new Map(usage.map((row) => [row['name'], row]));
        expect(byName.get('one')).toMatchObject({
          ...{ purpose: 'call', requests: 4, hits: 0, errors: 1 },
          rows_read: 500 + 1000,
        });
        expect(byName.get('two')).toMatchObject({
          ...{ purpose: 'call', requests: 3, hits: 1, errors: 0 },
          rows_read: 500,
        });
        expect(byName.get('')).toMatchObject({ purpose: 'warming', requests: 0 });
        await server.run('SYSTEM FLUSH LOGS');
        const [inClickHouse] = await server.rows(
          "SELECT sum(read_rows) AS rows_read, sum(read_bytes) AS bytes_read FROM system.query_log WHERE type = 'QueryFinish' AND has(tables, 'logs.events') AND query LIKE '%sleep(1)%' AND query_kind = 'Select' AND query NOT LIKE 'EXPLAIN%' AND query NOT LIKE '%LIMIT 0%'",
        );
        const sum = (column: string): number => usage.reduce((total, row) => total + Number(row[column]), 0);
        expect({ rows_read: sum('rows_read'), bytes_read: sum('bytes_read') }).toEqual(inClickHouse);
        expect((await get(gateway, 'pinned', 'gateway.usage')).status).toBe(403);
        const ofCalls = { purpose: 'call', requests: 7, rows_read: 2000 };
        expect(await rowsOf(await get(gateway, 'one', 'gateway.usage?by=endpoint'))).toContainEqual(
          expect.objectContaining({ ...ofCalls, name: 'slow' }),
        );
        const day = expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as unknown;
        const byDay = await rowsOf(
          await get(gateway, 'one', 'gateway.usage?by=day&endpoint=slow&since=now-1d'),
        );
        expect(byDay).toContainEqual(expect.objectContaining({ ...ofCalls, name: day }));
      } finally {
        await gateway.close();
      }
    });
    const ofRows = `SELECT round(sum(charged_rows)) AS rows_read, sum(bytes_sent) AS bytes_sent FROM gateway_requests`;
    const ofDays =
      'SELECT round(sum(rows_read)) AS rows_read, sum(bytes_sent) AS bytes_sent FROM querygate_usage';
    expect(await server.rows(ofDays)).toEqual(await server.rows(ofRows));
  }, 60_000);
});
