import { randomBytes } from 'node:crypto';

import type { QueryClient } from '../../src/gateway/clickhouse/connect-clickhouse.js';
import type { ClickHouseConnection } from '../../src/gateway/clickhouse/connection.js';
import { adminConnection, connectAsAdmin } from './clickhouse.js';

/** A database that does not exist yet, and a client that can inspect it. */
export interface EmptyDatabase {
  readonly connection: ClickHouseConnection;
  /** Its database is `default`. */
  readonly client: QueryClient;
  /** Returns the first column of a query on the system tables; `{database}` is the database. */
  readonly select: (query: string) => Promise<readonly string[]>;
  readonly tables: () => Promise<readonly string[]>;
}

/** Runs a test's body with a database that does not exist, and drops the database afterwards. */
export async function withEmptyDatabase(use: (database: EmptyDatabase) => Promise<void>): Promise<void> {
  const connection = adminConnection(`test_${randomBytes(6).toString('hex')}`);
  const { database } = connection;
  const client = connectAsAdmin();
  const select = async (query: string): Promise<readonly string[]> => {
    const result = await client.query({ query, query_params: { database }, format: 'JSONCompactEachRow' });
    return (await result.json<[string]>()).map(([value]) => value);
  };
  const tables = (): Promise<readonly string[]> =>
    select('SELECT name FROM system.tables WHERE database = {database:String} ORDER BY name');
  try {
    await use({ connection, client, select, tables });
  } finally {
    await client.command({
      query: 'DROP DATABASE IF EXISTS {database:Identifier} SYNC',
      query_params: { database },
    });
    await client.close();
  }
}
