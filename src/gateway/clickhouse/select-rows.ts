import type { ClickHouseClient, QueryParams } from '@clickhouse/client';

/** The rows of a statement, which are few: they are read as JSON. @throws Error where ClickHouse rejects it */
export async function selectRows<Row>(
  client: ClickHouseClient,
  query: string,
  query_params: Readonly<Record<string, unknown>> = {},
  others: Omit<QueryParams, 'query' | 'query_params' | 'format'> = {},
): Promise<Row[]> {
  return (await client.query({ query, query_params, format: 'JSONEachRow', ...others })).json<Row>();
}
