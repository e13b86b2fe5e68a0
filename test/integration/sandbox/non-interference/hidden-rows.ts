import { connectClickHouse } from '../../../../src/gateway/clickhouse/connect-clickhouse.js';
import type { ClickHouseConnection } from '../../../../src/gateway/clickhouse/connection.js';
import { harmless, poisonous, type Content } from './partial-expressions.js';

/** The gateway's clock; the tier FREE shows the day before it. */
export const NOW = new Date('2096-03-01T12:00:00Z');

/** The pinned parameter and the tier: both hide rows. */
export const PARAMETERS = { project: 'mine', project_tier: 'FREE' } as const;

/** Tables of the nine parts. */
const TABLES = [
  'edge_logs',
  'database_logs',
  'function_relay_logs',
  'function_event_logs',
  'auth_logs',
  'realtime_logs',
  'storage_logs',
  'rest_logs',
  'pooler_logs',
] as const;

/** Contents of the rows that a caller must not see: other tenants' rows and rows past the retention of the tier. */
export const HIDDEN = ['absent', 'harmless', 'poisonous'] as const;
export type Hidden = (typeof HIDDEN)[number];

const VISIBLE_ROWS = 6;
/** Projects that sort before and after the caller's, so that granules and shards contain both. */
const NEIGHBOURS = ['abel', 'zeno', 'echo', 'golf', 'minds', 'oscar'];

type Row = Content & { readonly id: string; readonly project: string; readonly timestamp: string };

/**
 * Replaces the tables' contents with visible and hidden rows, in one insert, so that they share parts and granules.
 *
 * @param suffix of the names of the tables that store the rows: `_local` on the shards of a cluster.
 */
export async function fillTables(
  servers: readonly ClickHouseConnection[],
  suffix: string,
  hidden: Hidden,
): Promise<void> {
  const clients = servers.map((server) =>
    connectClickHouse(server, { maxOpenConnections: 4, requestTimeoutMs: 60_000 }),
  );
  const fillTable = async (table: string, index: number): Promise<void> => {
    const truncate = { query: `TRUNCATE TABLE ${table}${suffix}` };
    await Promise.all(clients.map((client) => client.command(truncate)));
    await clients[0]?.insert({
      table,
      values: [...rowsOf(index, hidden)],
      format: 'JSONEachRow',
      clickhouse_settings: { distributed_foreground_insert: 1 },
    });
  };
  try {
    await Promise.all(TABLES.map(fillTable));
  } finally {
    for (const client of clients) await client.close();
  }
}

/**
 * The rows of one table, with the same visible rows in each case. Hidden rows have the times of the visible rows in
 * other projects, or the project of the visible rows and a time too early for the tier: by at least an hour, on the
 * same day, and by a day, in another part.
 *
 * @param table its number, by which its rows differ from those of other tables: ClickHouse orders joins by the
 *   estimated number of rows, and the last table has no visible rows.
 */
function rowsOf(table: number, hidden: Hidden): readonly Row[] {
  const numbers = Array.from({ length: VISIBLE_ROWS }, (_, n) => n);
  const isEmpty = table === TABLES.length - 1;
  const visible = isEmpty ? [] : numbers.map((n) => row(n + table, PARAMETERS.project, 4 * n, 'harmless'));
  if (hidden === 'absent') return visible;
  const expired = numbers.map((n) => row(20 + n, PARAMETERS.project, n < 3 ? 25 + n : 50 + n, hidden));
  const neighbours = NEIGHBOURS.slice(0, 2 + ((TABLES.length - 1 - table) % 5)).flatMap((project, index) =>
    numbers.map((n) => row(30 + 10 * index + n, project, 4 * n, hidden)),
  );
  return [...visible, ...expired, ...neighbours];
}

/** A poisonous row has letters in its id and a whole second as its time, so that expressions on these throw as well. */
function row(number: number, project: string, hoursAgo: number, hidden: Hidden): Row {
  const isPoisonous = hidden === 'poisonous';
  const seconds = isPoisonous ? number : number + 0.5;
  return {
    id: `00000000-0000-4000-8000-${isPoisonous ? 'abcd' : '0000'}${String(number).padStart(8, '0')}`,
    project,
    timestamp: new Date(NOW.getTime() - hoursAgo * 3_600_000 - seconds * 1000).toISOString(),
    ...(isPoisonous ? poisonous(number) : harmless(number)),
  };
}
