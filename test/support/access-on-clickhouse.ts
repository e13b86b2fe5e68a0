import { createQueryRunner } from '../../src/gateway/clickhouse/query-runner.js';
import { createSqlParser } from '../../src/gateway/clickhouse/sql-parser.js';
import type { EndpointSettings } from '../../src/endpoint/definition.js';
import { withSettings, type Endpoint } from '../../src/endpoint/endpoint.js';
import type { Clock } from '../../src/gateway/query/ports.js';
import { AccessGateway, type KeyRights } from './access-gateway.js';
import { createTestDatabase, type TestDatabase } from './clickhouse.js';
import { referenceEndpoints } from './reference-project.js';

/** A gateway with keys on a database of the shared ClickHouse that no other test uses. */
export interface AccessOnClickHouse {
  readonly gateway: AccessGateway;
  readonly database: TestDatabase;
  readonly close: () => Promise<void>;
}

export interface OnClickHouseOptions {
  readonly keys: KeyRights;
  /** Execution settings, by endpoint name. */
  readonly settings?: Readonly<Record<string, Partial<EndpointSettings>>>;
  readonly environment?: Readonly<Record<string, string>>;
  /** Endpoints in addition to the shipped ones. */
  readonly more?: readonly Endpoint[];
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Default: a new database. A database that is passed in stays open. */
  readonly database?: TestDatabase;
}

export async function openAccessOnClickHouse({
  keys,
  settings = {},
  environment = {},
  more = [],
  clock = () => new Date(),
  database: shared,
}: OnClickHouseOptions): Promise<AccessOnClickHouse> {
  const database = shared ?? (await createTestDatabase());
  const loaded = (await referenceEndpoints()).all();
  const gateway = await AccessGateway.open({
    keys,
    environment,
    endpoints: [...loaded.map((endpoint) => withSettings(endpoint, settings[endpoint.name] ?? {})), ...more],
    runQuery: createQueryRunner(database.client, { timeoutMs: 20_000 }),
    parser: createSqlParser(database.client),
    clock,
  });
  const close = async (): Promise<void> => {
    await gateway.close();
    if (!shared) await database.close();
  };
  return { gateway, database, close };
}
