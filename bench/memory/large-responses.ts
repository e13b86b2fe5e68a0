import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ClickHouseClient } from '@clickhouse/client';

import { generateApiKey } from '../../src/gateway/auth/api-key.js';
import { prepareDatabase } from '../../src/commands/demo-data/prepare-database.js';
import { countOne, formatMegabytes, listCounts, printTable } from '../measuring/print.js';
import { residentBytes, resetPeak } from '../measuring/resident-memory.js';
import { timed } from '../measuring/sampling.js';
import { REFERENCE } from '../reference-project.js';
import type { Stage } from '../stage.js';

/** The row cap of `logs.all`. */
const ROWS = 100;
const TARGET = '/api/endpoints/query/logs.all?project=p&project_tier=PRO';
const HEADINGS = ['slots', 'each', 'statuses', 's', 'ClickHouse', 'peak', 'gateway', 'peak'];
/** MAX_CONCURRENT_QUERIES, and megabytes of a response. */
const SCENARIOS = [
  { slots: 16, size: 1 },
  { slots: 16, size: 10 },
  { slots: 200, size: 1 },
  { slots: 200, size: 10 },
] as const;

/** Measures the memory of ClickHouse and of the gateway during concurrent large responses, and prints a table. */
export async function measureLargeResponses(stage: Stage, requests: number): Promise<void> {
  const lines: (string | number)[][] = [];
  for (const scenario of SCENARIOS) lines.push(await measureScenario(stage, scenario, requests));
  printTable(HEADINGS, lines);
}

/** Uses a new server and a new gateway, because a process may not return memory that it once used. */
async function measureScenario(
  stage: Stage,
  { slots, size }: (typeof SCENARIOS)[number],
  requests: number,
): Promise<(string | number)[]> {
  const clickhouse = await stage.startClickHouse({ dataDir: path.join(stage.folder, `${slots}-${size}`) });
  await prepareDatabase(clickhouse.adminConnection, { schemaFolder: REFERENCE.schemaFolder });
  await fill(stage.connect(clickhouse.adminConnection), size);
  const settings = path.join(stage.folder, 'settings.json');
  // Without caching and coalescing: each request runs a query.
  await writeFile(settings, '{"logs.all":{"caching":"disabled"}}');
  const apiKey = generateApiKey();
  const gateway = await stage.startGateway(clickhouse.readerConnection, {
    API_KEY: apiKey,
    ENDPOINT_SETTINGS_FILE: settings,
    MAX_CONCURRENT_QUERIES: String(slots),
    QUEUE_TIMEOUT_SECONDS: '300',
    QUERY_TIMEOUT_SECONDS: '300',
  });
  const pids = [clickhouse.pid ?? 0, gateway.pid];
  await Promise.all(pids.map(resetPeak));
  const before = await Promise.all(pids.map((pid) => residentBytes(pid)));
  const statuses = new Map<string, number>();
  let responseBytes = 0;
  const milliseconds = await timed(async () => {
    const responses = Array.from({ length: requests }, () => drain(gateway.url + TARGET, apiKey));
    for (const { status, bytes } of await Promise.all(responses)) {
      countOne(statuses, status);
      responseBytes = Math.max(responseBytes, bytes);
    }
  });
  const peaks = await Promise.all(pids.map((pid) => residentBytes(pid, 'VmHWM')));
  await gateway.stop();
  await clickhouse.stop();
  const memory = before.flatMap((bytes, index) => [
    formatMegabytes(bytes),
    formatMegabytes(peaks[index] ?? NaN),
  ]);
  const seconds = (milliseconds / 1000).toFixed(1);
  return [slots, formatMegabytes(responseBytes), listCounts(statuses), seconds, ...memory];
}

async function fill(client: ClickHouseClient, size: number): Promise<void> {
  await client.command({
    query: `INSERT INTO edge_logs (project, event_message)
      SELECT 'p', randomPrintableASCII({bytes:UInt32}) FROM numbers({rows:UInt32})`,
    query_params: { bytes: (size * 1e6) / ROWS, rows: ROWS },
  });
}

/** Counts a response's bytes without storing them, so that this process does not compete for memory. */
async function drain(
  url: string,
  apiKey: string,
): Promise<{ readonly status: number; readonly bytes: number }> {
  const { status, body } = await fetch(url, { headers: { 'X-API-KEY': apiKey } });
  let bytes = 0;
  for await (const chunk of body ?? []) bytes += (chunk as Uint8Array).length;
  return { status, bytes };
}
