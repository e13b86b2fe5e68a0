import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { connectClickHouse } from '../../src/gateway/clickhouse/connect-clickhouse.js';
import type { ClickHouseConnection } from '../../src/gateway/clickhouse/connection.js';
import { EmbeddedServer } from '../../src/commands/embedded/embedded-server.js';
import { migrate } from '../../src/commands/schema/migrate.js';
import { readSchema } from '../../src/gateway/schema/migration-files.js';
import { freezeProcess } from '../support/freeze-process.js';
import { openMultiServerGateway, type MultiServerGateway } from '../support/multi-server-gateway.js';
import { pollUntil } from '../support/poll-until.js';
import { REFERENCE_GRANTS } from '../support/reference-grants.mjs';
import { REFERENCE } from '../support/reference-project.js';

/** Number of edge requests in each server's data. */
const CALLS = 5;

async function fill(connection: ClickHouseConnection): Promise<void> {
  await migrate({ connection, schema: await readSchema(REFERENCE.schemaFolder) });
  const client = connectClickHouse(connection, { maxOpenConnections: 1, requestTimeoutMs: 60_000 });
  const row = { project: 'aurora', url: 'https://aurora.example/rest/v1', path: '/rest/v1' };
  const timestamp = new Date(Date.now() - 60_000).toISOString().replace('Z', '');
  const values = Array.from({ length: CALLS }, () => ({ ...row, timestamp }));
  await client.insert({ table: 'edge_logs', values, format: 'JSONEachRow' });
  await client.close();
}

const withCredentials = ({ url, username, password }: ClickHouseConnection): string => {
  const full = new URL(url);
  [full.username, full.password] = [username, password];
  return full.href;
};
const nameOf = ({ adminConnection }: EmbeddedServer): string => new URL(adminConnection.url).host;

describe('a gateway in front of two servers with the same data', () => {
  const folders: string[] = [];
  const servers: EmbeddedServer[] = [];
  let gateway: MultiServerGateway;
  let queryCount = 0;

  const startServer = async (): Promise<EmbeddedServer> => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'querygate-test-'));
    folders.push(dataDir);
    const server = await EmbeddedServer.start({
      dataDir,
      database: 'logs',
      grants: REFERENCE_GRANTS,
      onCrash: () => undefined,
    });
    servers.push(server);
    await fill(server.adminConnection);
    return server;
  };
  beforeAll(async () => {
    const [a, b] = await Promise.all([startServer(), startServer()]);
    // The servers generate their passwords at start-up, so each URL contains its own.
    gateway = await openMultiServerGateway([a, b].map((server) => withCredentials(server.adminConnection)));
  }, 120_000);
  afterAll(async () => {
    await gateway.close();
    for (const server of servers) await server.stop();
    for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const both = (): readonly [EmbeddedServer, EmbeddedServer] => {
    const [a, b] = servers;
    if (!a || !b) throw new Error('two servers have not been started');
    return [a, b];
  };
  /** Runs a new query; returns the status, and the number of calls in the result or the error code. */
  const runQuery = async (): Promise<string> => {
    queryCount += 1;
    const response = await gateway.send(`aur.ra|none${queryCount}`, `several-${queryCount}`);
    const body = (await response.json()) as { result?: { total_rest_requests: number }[]; code?: string };
    const calls = body.result?.map((row) => row.total_rest_requests).reduce((sum, n) => sum + n, 0);
    return `${response.status} ${calls ?? body.code ?? ''}`;
  };
  const sendMany = (count: number): Promise<readonly string[]> =>
    Promise.all(Array.from({ length: count }, runQuery));
  const GOOD = `200 ${CALLS}`;
  const UNREACHABLE = '503 CLICKHOUSE_UNREACHABLE';
  const outcomes = (all: readonly string[]): readonly string[] => [...new Set(all)].sort();
  /** Runs a task, and counts the queries that the server received meanwhile, from the server's own counter. */
  const countedOn = async (
    { adminConnection }: EmbeddedServer,
    task: () => Promise<void>,
  ): Promise<number> => {
    const client = connectClickHouse(adminConnection, { maxOpenConnections: 1, requestTimeoutMs: 30_000 });
    // Only the queries of calls have a comment: those of the gateway's own have none.
    const count = async (): Promise<number> => {
      await client.command({ query: 'SYSTEM FLUSH LOGS' });
      const query = `SELECT count() AS value FROM system.query_log WHERE type = 'QueryFinish' AND log_comment != ''`;
      const result = await client.query({ query, format: 'JSONEachRow' });
      const [row] = await result.json<{ value: string }>();
      return Number(row?.value);
    };
    const before = await count();
    await task();
    const counted = (await count()) - before;
    await client.close();
    return counted;
  };
  const untilServing = (server: EmbeddedServer): Promise<unknown> =>
    pollUntil('the server is not ejected', async () => {
      await runQuery();
      return (await gateway.metric('server_ejected', nameOf(server))) === 0 || undefined;
    });

  it('sends half of the queries to each server', async () => {
    const [a, b] = both();
    let onB = 0;
    const onA = await countedOn(a, async () => {
      onB = await countedOn(b, async () => {
        for (let n = 0; n < 20; n += 1) expect(await runQuery()).toBe(GOOD);
        expect(outcomes(await sendMany(20))).toEqual([GOOD]);
      });
    });
    expect(onA + onB).toBe(40);
    expect(Math.abs(onA - onB)).toBeLessThanOrEqual(10);
  });

  it('loses no result when one server is killed, and uses that server again when it is back', async () => {
    const [a, b] = both();
    const { pid = 0 } = a;
    const running = sendMany(20);
    process.kill(pid, 'SIGKILL');
    for (let n = 0; n < 20; n += 1) expect(await runQuery()).toBe(GOOD);
    expect(outcomes(await running)).toEqual([GOOD]);
    expect(await gateway.metric('server_retried_elsewhere_total', nameOf(a))).toBeGreaterThan(0);
    expect(await gateway.metric('server_retried_elsewhere_total', nameOf(b))).toBe(0);
    expect(await gateway.metric('breaker_open')).toBe(0);
    await pollUntil('the server has restarted', () => (a.pid !== pid ? a.pid : undefined));
    await untilServing(a);
    const onA = await countedOn(a, async () => {
      expect(outcomes(await sendMany(20))).toEqual([GOOD]);
    });
    expect(onA).toBeGreaterThanOrEqual(5);
  }, 120_000);

  it('serves a stalled server’s queries from the other server, and sends it no queries afterwards', async () => {
    const [a, b] = both();
    const { pid = 0 } = b;
    await freezeProcess(pid);
    expect(outcomes(await sendMany(8))).toEqual([GOOD]);
    expect(await gateway.metric('server_ejected', nameOf(b))).toBe(1);
    expect(await gateway.metric('server_retried_elsewhere_total', nameOf(b))).toBeGreaterThan(0);
    expect(await gateway.metric('queries_cut')).toBeGreaterThan(0);
    const cut = await gateway.metric('queries_cut');
    const onA = await countedOn(a, async () => {
      for (let n = 0; n < 20; n += 1) expect(await runQuery()).toBe(GOOD);
    });
    expect([onA, await gateway.metric('queries_cut')]).toEqual([20, cut]);
    expect((await gateway.fetch('/health/ready')).status).toBe(200);
    process.kill(pid, 'SIGCONT');
    await untilServing(b);
    const messages = gateway.logger.lines.filter(({ fields }) => fields['server'] === nameOf(b));
    expect(messages.map(({ message, fields }) => [message, fields['reason']])).toEqual([
      ['a ClickHouse server does not respond and is ejected', 'stalled'],
      ['a ClickHouse server responds again', undefined],
    ]);
  }, 120_000);

  it('returns 503 while both servers are stalled, and recovers when one continues', async () => {
    const [a, b] = both();
    await Promise.all([a, b].map(({ pid = 0 }) => freezeProcess(pid)));
    expect(outcomes(await sendMany(8))).toEqual([UNREACHABLE]);
    expect(await gateway.metric('breaker_open')).toBe(1);
    const response = await gateway.send('unreachable', 'several-unreachable');
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    await response.body?.cancel();
    expect((await gateway.fetch('/health/ready')).status).toBe(503);
    process.kill(a.pid ?? 0, 'SIGCONT');
    await pollUntil('a query succeeds', async () => (await runQuery()) === GOOD || undefined);
    expect(await gateway.metric('breaker_open')).toBe(0);
    expect(await gateway.metric('server_ejected', nameOf(b))).toBe(1);
    process.kill(b.pid ?? 0, 'SIGCONT');
    await untilServing(b);
  }, 120_000);

  it('returns 503 at once if neither server runs', async () => {
    for (const server of both()) await server.stop();
    expect(outcomes(await sendMany(8))).toEqual([UNREACHABLE]);
    expect(await runQuery()).toBe(UNREACHABLE);
    expect(await gateway.metric('breaker_open')).toBe(1);
    expect(JSON.stringify(gateway.logger.lines)).not.toContain(both()[0].adminConnection.password);
  });
});
