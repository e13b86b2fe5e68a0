import type { ClickHouseClient } from '@clickhouse/client';

/** How well the primary key serves a question about one project. */
export interface IndexUse {
  /** Granules that ClickHouse reads, by EXPLAIN ESTIMATE. */
  readonly granulesRead: number;
  /** Granules that hold a row of the project in the window: the least that can be read. */
  readonly granulesNeeded: number;
}

/** Granules that `functions.invocation-stats` reads for a day of a project, against those that hold its rows. */
export async function invocationStatsIndexUse(
  client: ClickHouseClient,
  query: { readonly text: string; readonly parameters: Readonly<Record<string, unknown>> },
): Promise<IndexUse> {
  const estimate = await client.query({
    query: `EXPLAIN ESTIMATE ${query.text}`,
    query_params: query.parameters,
    format: 'JSONEachRow',
  });
  const [read] = await estimate.json<{ marks: string | number }>();
  const needed = await client.query({
    query: `
      SELECT uniqExact(_part, intDiv(_part_offset, 1024)) AS granules FROM function_relay_logs
      WHERE project = {project:String}
        AND timestamp >= toStartOfHour({now:DateTime64(6, 'UTC')} - INTERVAL 1 DAY)
        AND timestamp < toStartOfHour({now:DateTime64(6, 'UTC')}) + INTERVAL 1 HOUR`,
    query_params: query.parameters,
    format: 'JSONEachRow',
  });
  const [rows] = await needed.json<{ granules: string | number }>();
  return { granulesRead: Number(read?.marks), granulesNeeded: Number(rows?.granules) };
}
