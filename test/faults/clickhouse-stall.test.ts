import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { connectClickHouse } from '../../src/gateway/clickhouse/connect-clickhouse.js';
import { EmbeddedServer } from '../../src/commands/embedded/embedded-server.js';
import { createPing } from '../../src/gateway/clickhouse/ping.js';
import { createQueryRunner } from '../../src/gateway/clickhouse/query-runner.js';
import type { RunQuery } from '../../src/gateway/query/ports.js';
import { QueryQueue } from '../../src/gateway/scheduler/query-queue.js';
import { scheduleQueries } from '../../src/gateway/scheduler/run-query.js';
import { ServerBreaker } from '../../src/gateway/scheduler/server-breaker.js';
import { ServerPool } from '../../src/gateway/scheduler/server-pool.js';
import { freezeProcess } from '../support/freeze-process.js';
import { pollUntil } from '../support/poll-until.js';
import { failureOf, queryRequest } from '../support/query-requests.js';
import { REFERENCE_GRANTS } from '../support/reference-grants.mjs';

describe('A ClickHouse that stalls', () => {
  let folder: string;
  let server: EmbeddedServer;
  let breaker: ServerBreaker;
  let run: RunQuery;
  const changes: string[] = [];
  const closers: (() => unknown)[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'querygate-test-'));
    server = await EmbeddedServer.start({
      dataDir: folder,
      database: 'default',
      grants: REFERENCE_GRANTS,
      onCrash: () => undefined,
    });
    const { adminConnection } = server;
    const client = connectClickHouse(adminConnection, { maxOpenConnections: 2, requestTimeoutMs: 60_000 });
    closers.push(() => client.close());
    breaker = new ServerBreaker({
      ping: createPing(adminConnection.url),
      clock: () => new Date(),
      onChange: (state, reason) => changes.push(reason ?? state),
    });
    const queue = new QueryQueue({ slots: 2, maxWaiting: 100, maxWaitMs: 30_000 });
    const runQuery = createQueryRunner(client, { timeoutMs: 30_000 });
    const pool = new ServerPool([{ name: 'only', runQuery, breaker }], () => new Date());
    run = scheduleQueries({ pool, queue });
  }, 120_000);
  afterAll(async () => {
    if (server.pid !== undefined) process.kill(server.pid, 'SIGCONT');
    for (const close of closers) await close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('is not ejected while it is only slow, even if every connection is in use', async () => {
    const slow = [1, 2].map(() => run(queryRequest('SELECT toUInt64(sleep(2.8)) AS n')));
    for (const { rowCount } of await Promise.all(slow)) expect(rowCount).toBe(1);
    expect([breaker.figures.state, changes]).toEqual(['closed', []]);
  });

  it('rejects callers before the limit of their queries, and is used again after it continues', async () => {
    const { pid = 0 } = server;
    await freezeProcess(pid);
    // Two queries run, the others wait for a slot.
    const attempts = Array.from({ length: 20 }, () =>
      failureOf(run(queryRequest('SELECT toUInt64(1) AS n'))),
    );
    for (const { code } of await Promise.all(attempts)) expect(code).toBe('CLICKHOUSE_UNREACHABLE');
    expect([breaker.figures.cancelled, changes]).toEqual([2, ['stalled']]);
    process.kill(pid, 'SIGCONT');
    await pollUntil('a query succeeds', async () => {
      const result = await run(queryRequest('SELECT toUInt64(1) AS n')).catch(() => undefined);
      return result?.rowCount;
    });
    expect(changes).toEqual(['stalled', 'closed']);
  });
});
