import type { ClickHouseClient } from '@clickhouse/client';

/** The caller's project; it has a tenth of all rows. */
export const CALLERS_PROJECT = 'mine';

const DAYS = 90;
/** Rows of one INSERT. */
const BATCH = 1_000_000;

/** The table of a part of `logs.all`, with the definition of the schema. */
const TABLE = `
  (
    id UUID DEFAULT generateUUIDv4(),
    project LowCardinality(String),
    timestamp DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    event_message String CODEC(ZSTD(1)),
    metadata String CODEC(ZSTD(1))
  )
  ENGINE = MergeTree
  PARTITION BY toDate32(timestamp)
  ORDER BY (project, timestamp)
  SETTINGS index_granularity = 1024`;

/** Condition of the rows for a table; by default all rows. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** Sends all rows of a project to one shard. */
export const SHARDING_KEY = 'cityHash64(project)';

/** Creates a table of edge logs of the last 90 days. */
export async function makeEdgeLogs(
  client: ClickHouseClient,
  table: string,
  { rows, now, shard }: { readonly rows: number; readonly now: Date; readonly shard?: Shard },
): Promise<void> {
  const isHere = shard ? `${SHARDING_KEY} % ${shard.of} = ${shard.index}` : '1';
  await client.command({ query: `CREATE TABLE ${table} ${TABLE}` });
  for (let offset = 0; offset < rows; offset += BATCH) {
    await client.command({
      query: `
        INSERT INTO ${table} (project, timestamp, event_message, metadata)
        WITH if(number % 10 = 0, '${CALLERS_PROJECT}', concat('project-', toString(cityHash64(number) % 199))) AS project,
          ['orders', 'customers', 'checkout', 'sessions'][1 + cityHash64(number, 'path') % 4] AS resource
        SELECT
          project,
          {end:DateTime64(6, 'UTC')} - toIntervalMicrosecond(toInt64(number / {rows:UInt64} * ${DAYS} * 86400000000)),
          concat('GET | 200 | https://', project, '.example.co/rest/v1/', resource, '?id=eq.', toString(cityHash64(number) % 1000000)),
          concat('{"request":{"method":"GET","path":"/rest/v1/', resource, '"},"response":{"status_code":200}}')
        FROM numbers({offset:UInt64}, {count:UInt64})
        WHERE ${isHere}`,
      query_params: {
        end: now.toISOString().slice(0, -1),
        rows,
        offset,
        count: Math.min(BATCH, rows - offset),
      },
      clickhouse_settings: { max_partitions_per_insert_block: '0' },
    });
  }
}
