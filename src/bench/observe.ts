import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';

import { connectClickHouse, type ClickHouseConnection } from '../clickhouse/connection.js';

/** Queries of endpoints that ClickHouse has begun since a time, by its own log. */
export async function countQueries(connection: ClickHouseConnection, since: Date): Promise<number> {
  const client = connectClickHouse(connection, { maxOpenConnections: 1, requestTimeoutMs: 30_000 });
  await client.command({ query: 'SYSTEM FLUSH LOGS' });
  const result = await client.query({
    query: `
      SELECT count() AS queries FROM system.query_log
      WHERE type = 'QueryStart' AND user = 'querygate' AND event_time_microseconds >= {since:DateTime64(3, 'UTC')}`,
    query_params: { since },
    format: 'JSONEachRow',
  });
  const [row] = await result.json<{ queries: string | number }>();
  await client.close();
  return Number(row?.queries);
}

/** Resident memory of a process in megabytes, by Linux's account of it. */
export async function residentMegabytes({ pid }: ChildProcess): Promise<string> {
  const status = await readFile(`/proc/${pid ?? 0}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
  return kilobytes === undefined ? 'an unknown number of' : (Number(kilobytes) / 1024).toFixed(0);
}
