import type { ClickHouseClient } from '@clickhouse/client';

/** The simplest table: no partitions, indices, codecs or projections. */
const ORDER_OF: Readonly<Record<string, string>> = {
  edge_logs: '(project, timestamp)',
  function_relay_logs: '(project, timestamp)',
  custom_events: 'timestamp',
};

/** Creates an empty plain table with the columns of another table. */
export async function createPlainTable(
  client: ClickHouseClient,
  database: string,
  source: string,
  table: string,
): Promise<void> {
  await client.command({ query: `CREATE DATABASE IF NOT EXISTS ${database}` });
  await client.command({
    query: `
      CREATE TABLE ${database}.${table} ENGINE = MergeTree ORDER BY ${ORDER_OF[table] ?? 'tuple()'}
      AS SELECT * FROM ${source}.${table} WHERE false`,
  });
}

/** Copies all rows of a table into its plain counterpart. */
export async function fillPlainTable(
  client: ClickHouseClient,
  database: string,
  source: string,
  table: string,
): Promise<void> {
  await client.command({
    query: `
      INSERT INTO ${database}.${table} SELECT * FROM ${source}.${table}
      SETTINGS max_insert_threads = 2, max_execution_time = 0`,
  });
}

const STATS = `
  SELECT toStartOfDay(timestamp) AS bucket, min(execution_time_ms), max(execution_time_ms), avg(execution_time_ms),
    quantileTDigest(0.95)(execution_time_ms), quantileTDigest(0.99)(execution_time_ms), count(), countIf(status_code >= 400)
  FROM function_relay_logs
  WHERE project = {project:String} AND timestamp >= toStartOfDay({now:DateTime64(6, 'UTC')} - INTERVAL 7 DAY)
  GROUP BY bucket ORDER BY bucket`;

const LOGS = `
  SELECT id, timestamp, event_message, metadata FROM edge_logs
  WHERE project = {project:String} AND timestamp > {now:DateTime64(6, 'UTC')} - INTERVAL 7 DAY
  ORDER BY timestamp DESC LIMIT 100`;

const COUNTS = `
  SELECT toStartOfDay(timestamp) AS bucket, countIf(path LIKE '%/rest%'), countIf(path LIKE '%/storage%'),
    countIf(path LIKE '%/auth%'), countIf(path LIKE '%/realtime%')
  FROM edge_logs
  WHERE match(url, {project:String}) AND timestamp >= {now:DateTime64(6, 'UTC')} - INTERVAL 7 DAY
  GROUP BY bucket ORDER BY bucket`;

const groupsOf = (columns: string, own: string, filters: readonly string[]): string => `
  SELECT toDate(timestamp) AS day, ${columns}, count() AS hits FROM custom_events
  WHERE timestamp >= {start_time:DateTime64(6, 'UTC')}${own}${filters.map((name) => ` AND ${filterOf(name)}`).join('')}
  GROUP BY day, ${columns} ORDER BY day, ${columns} LIMIT 1000`;

const filterOf = (name: string): string =>
  name === 'event_ids' ? 'event_id = {event_ids:String}' : `${name} = {${name}:String}`;

/** The most straightforward query on plain tables; parameters have the endpoint's names. */
export function straightforwardQuery(endpoint: string, parameters: Readonly<Record<string, string>>): string {
  const filters = Object.keys(parameters).filter((name) => name !== 'start_time');
  switch (endpoint) {
    case 'functions.invocation-stats':
      return STATS;
    case 'logs.all':
      return LOGS;
    case 'usage.api-counts':
      return COUNTS;
    case 'get-grouped-stats-redirects':
      return groupsOf(
        'event_name, country, device, language, referrer, utm_params',
        " AND event_type = 'url_redirect'",
        filters,
      );
    default:
      return groupsOf(
        'event_id, event_name, city, country, device, language, referrer, event_type, utm_params',
        '',
        filters,
      );
  }
}
