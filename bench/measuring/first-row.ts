import type { ClickHouseClient } from '@clickhouse/client';

/** Returns the first row of a query's result, as texts. */
export async function firstRow(
  client: ClickHouseClient,
  query: string,
  parameters: Readonly<Record<string, unknown>> = {},
): Promise<readonly string[]> {
  const result = await client.query({ query, query_params: parameters, format: 'JSONCompactStringsEachRow' });
  const [row = []] = await result.json<string[]>();
  return row;
}
