import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';

import { FILL_AUTH_LOGS, FILL_REST_LOGS, FILL_STORAGE_LOGS } from './api-logs.js';
import { FILL_CUSTOM_EVENTS } from './custom-events.js';
import { FILL_EDGE_LOGS } from './edge-logs.js';
import { FILL_FUNCTION_EVENT_LOGS, FILL_FUNCTION_RELAY_LOGS } from './function-logs.js';
import { FILL_DATABASE_LOGS, FILL_POOLER_LOGS, FILL_REALTIME_LOGS } from './server-logs.js';

/** What fills each table, the longest first. */
const FILL_BY_TABLE = {
  edge_logs: FILL_EDGE_LOGS,
  custom_events: FILL_CUSTOM_EVENTS,
  function_relay_logs: FILL_FUNCTION_RELAY_LOGS,
  rest_logs: FILL_REST_LOGS,
  function_event_logs: FILL_FUNCTION_EVENT_LOGS,
  database_logs: FILL_DATABASE_LOGS,
  storage_logs: FILL_STORAGE_LOGS,
  auth_logs: FILL_AUTH_LOGS,
  pooler_logs: FILL_POOLER_LOGS,
  realtime_logs: FILL_REALTIME_LOGS,
};

const SETTINGS: ClickHouseSettings = {
  // A partition is a day, and a table gets up to thirty in one insert.
  max_partitions_per_insert_block: '0',
  // Rows come in the order of time, so a small block is a day or two: little memory, and hardly more parts.
  max_block_size: '16384',
  min_insert_block_size_rows: '16384',
  max_threads: 1,
  // What the rollups get of the small blocks is put together before it is written.
  min_insert_block_size_rows_for_materialized_views: '1000000',
  // Compiling expressions to machine code takes longer than it saves on so few rows.
  compile_expressions: 0,
};

/** Inserts at a time: enough for two cores, and little memory. */
const LANES = 2;

/**
 * Fills the ten tables with demonstration data up to now, made inside ClickHouse, if all of them are empty. The same now
 * gives the same rows.
 *
 * @param client its default database holds the tables.
 * @returns whether it filled them.
 */
export async function fillDemoData(client: ClickHouseClient, now: Date): Promise<boolean> {
  if (!(await areAllEmpty(client))) return false;
  // One iterator that all lanes take from.
  const waiting = Object.values(FILL_BY_TABLE).values();
  const fillOneAfterTheOther = async (): Promise<void> => {
    for (const query of waiting) {
      await client.command({ query, query_params: { now }, clickhouse_settings: SETTINGS });
    }
  };
  await Promise.all(Array.from({ length: LANES }, fillOneAfterTheOther));
  return true;
}

async function areAllEmpty(client: ClickHouseClient): Promise<boolean> {
  const anyRow = Object.keys(FILL_BY_TABLE).map((table) => `(SELECT 1 FROM ${table} LIMIT 1)`);
  const result = await client.query({ query: anyRow.join(' UNION ALL '), format: 'JSONEachRow' });
  return (await result.json()).length === 0;
}
