import { randomBytes } from 'node:crypto';

import { connectClickHouse, type QueryClient } from '../../src/gateway/clickhouse/connect-clickhouse.js';
import type { ClickHouseConnection } from '../../src/gateway/clickhouse/connection.js';
import { isGatewayFile, readSchema } from '../../src/gateway/schema/migration-files.js';
import { openForAll } from './opened.js';
import { REFERENCE } from './reference-project.js';

/** Connection to the run's shared ClickHouse, as administrator. */
export function adminConnection(database: string): ClickHouseConnection {
  return {
    url: variable('TEST_CLICKHOUSE_URL'),
    username: variable('TEST_CLICKHOUSE_USER'),
    password: variable('TEST_CLICKHOUSE_PASSWORD'),
    database,
  };
}

/** A client of the run's shared ClickHouse, as administrator, in the database `default`. */
export const connectAsAdmin = (): QueryClient =>
  connectClickHouse(adminConnection('default'), { maxOpenConnections: 4, requestTimeoutMs: 60_000 });

/** Connects for the tests of a file or block, see {@link openForAll}. */
export const useAdminClient = (): QueryClient => openForAll(() => Promise.resolve(connectAsAdmin()));

/** A test's own database, with the schema. */
export interface TestDatabase {
  readonly name: string;
  readonly client: QueryClient;
  readonly connection: ClickHouseConnection;
  /** Inserts rows the way a log shipper does. */
  readonly insert: (table: string, rows: readonly object[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Creates a test's own database. Creates all tables at once, which takes a quarter of the time of `migrate`. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const connection = adminConnection(name);
  const client = connectClickHouse(connection, { maxOpenConnections: 8, requestTimeoutMs: 60_000 });
  await createDatabase(name);
  const files = await readSchema(REFERENCE.schemaFolder);
  const apply = async (each: typeof files): Promise<void> => {
    for (const { statements } of each) for (const query of statements) await client.command({ query });
  };
  const isGateways = ({ name: file }: (typeof files)[number]): boolean => isGatewayFile(file);
  const ofProject = files.filter((file) => !isGateways(file));
  // The gateway's own build on one another.
  await Promise.all([apply(files.filter(isGateways)), ...ofProject.map((file) => apply([file]))]);
  return {
    name,
    client,
    connection,
    insert: async (table, rows) => {
      await client.insert({ table, values: [...rows], format: 'JSONEachRow' });
    },
    close: async () => {
      await client.command({ query: 'DROP DATABASE {name:Identifier} SYNC', query_params: { name } });
      await client.close();
    },
  };
}

/** Creates a database for the tests of a file or block, see {@link openForAll}. */
export const useTestDatabase = (): TestDatabase => openForAll(createTestDatabase);

async function createDatabase(name: string): Promise<void> {
  // ClickHouse rejects a connection to a database that does not exist yet.
  const client = connectAsAdmin();
  await client.command({ query: 'CREATE DATABASE {name:Identifier}', query_params: { name } });
  await client.close();
}

/** Returns an environment variable that the global set-up sets. */
export function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: run the tests with npm test`);
  return value;
}
