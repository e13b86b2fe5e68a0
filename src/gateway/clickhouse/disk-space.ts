import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';

/** Settings of the probe. Health checks come every few seconds and must not fill the query log. */
const SETTINGS: ClickHouseSettings = { readonly: '2', max_execution_time: 2, log_queries: 0 };

/**
 * Creates a function that reads the free and total space of the disk with a server's data. Unlike `system.disks` this needs no grant, so
 * the read-only user can call it.
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
    // 64-bit numbers are strings, unless the user's profile says otherwise.
    const [row] = await result.json<readonly [string, string]>();
    return { freeBytes: Number(row?.[0]), totalBytes: Number(row?.[1]) };
  };
}
