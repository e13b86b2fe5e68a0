import type { ClickHouseClient, QueryParams } from '@clickhouse/client';

/** Rows of a statement with a small result, read as JSON. @throws Error where ClickHouse rejects the statement */
export async function selectRows<Row>(
  client: ClickHouseClient,
  query: string,
  query_params: Readonly<Record<string, unknown>> = {},
  others: Omit<QueryParams, 'query' | 'query_params' | 'format'> = {},
): Promise<Row[]> {
  return (await client.query({ query, query_params, format: 'JSONEachRow', ...others })).json<Row>();
}
