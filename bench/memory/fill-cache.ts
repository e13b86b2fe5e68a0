import { fileURLToPath } from 'node:url';

import { generateApiKey } from '../../src/auth/api-key.js';
import { formatCount, formatMegabytes, print } from '../measuring/print.js';
import { residentBytes } from '../measuring/resident-memory.js';
import { CONNECTIONS, loadServer } from '../measuring/throughput.js';
import type { Stage } from '../stage.js';

/** The request whose hits are timed in the full cache. */
const TARGET = '/api/endpoints/query/functions.invocation-stats?project=aurora&interval=1day';
const CANNED = fileURLToPath(new URL('../servers/canned-clickhouse.js', import.meta.url));
const MISS = '/api/endpoints/query/functions.invocation-stats?project=none-';
const CACHE_MEMORY_MB = '512';

/**
 * Fills a cache with many parameter sets, and prints memory and speed of hits afterwards. A fake ClickHouse responds at
 * once: ClickHouse itself would take ten minutes for 200,000 queries, and is not measured here.
 */
export async function fillCache(stage: Stage, seconds: number, sets: number): Promise<void> {
  const apiKey = generateApiKey();
  const headers = { 'X-API-KEY': apiKey };
  const { url } = await stage.startModule(CANNED, ['aurora']);
  const gateway = await stage.startGateway(
    { url, username: 'default', password: '', database: 'logs' },
    { API_KEY: apiKey, CACHE_MEMORY_MB },
  );
  const failures = await requestEach(gateway.url + MISS, sets, headers);
  const { requestsPerSecond } = await loadServer(gateway.url + TARGET, headers, seconds);
  print(
    `\nWith ${formatCount(sets)} distinct parameter sets in the cache (${failures} failures) a hit runs at ` +
      `${requestsPerSecond.toFixed(0)} requests/s, and the process uses ${formatMegabytes(await residentBytes(gateway.pid))} ` +
      `with CACHE_MEMORY_MB=${CACHE_MEMORY_MB}.`,
  );
  await gateway.stop();
}

/** Requests each set once, 64 at a time; returns the number of responses other than 200. */
async function requestEach(
  url: string,
  sets: number,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  let failures = 0;
  let next = 0;
  const call = async (): Promise<void> => {
    while (next < sets) {
      const response = await fetch(url + String((next += 1)), { headers });
      await response.arrayBuffer();
      failures += response.status === 200 ? 0 : 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, call));
  return failures;
}
