import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';

/** Load balancers ask every few seconds: that is nothing for the query log. */
const SETTINGS: ClickHouseSettings = { readonly: '2', max_execution_time: 2, log_queries: 0 };

/**
 * Reads how much space there is on the disk of a server's data. Unlike `system.disks` this needs no grant, so that the
 * read-only user can do it.
 */
export function createDiskProbe(
  client: ClickHouseClient,
): (signal: AbortSignal) => Promise<{ readonly freeBytes: number; readonly totalBytes: number }> {
  return async (signal) => {
    const result = await client.query({
      query: 'SELECT filesystemAvailable(), filesystemCapacity()',
      format: 'JSONCompactEachRow',
      abort_signal: signal,
      clickhouse_settings: SETTINGS,
    });
    // 64-bit numbers are texts, unless the user's profile says otherwise.
    const [row] = await result.json<readonly [string, string]>();
    return { freeBytes: Number(row?.[0]), totalBytes: Number(row?.[1]) };
  };
}
