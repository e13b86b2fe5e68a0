import type { Endpoint } from '../../endpoint/endpoint.js';
import type { ClickHouseConnection } from '../clickhouse/connection.js';
import type { Logger } from '../observability/logger.js';
import type { Clock } from '../query/ports.js';

/** A ClickHouse server that the gateway starts, prepares and stops. */
export interface OwnServer {
  readonly adminConnection: ClickHouseConnection;
  readonly readerConnection: ClickHouseConnection;
  /**
   * Grants the read-only user the rights that these endpoints need, before they are served. Logs why their queries may be denied.
   * Where a right is missing, the server restarts, and running queries fail.
   */
  readonly prepareFor: (endpoints: readonly Endpoint[]) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface OwnServerOptions {
  /** The endpoints that the read-only user must be able to query. */
  readonly endpoints: readonly Endpoint[];
  readonly logger: Logger;
  readonly clock: Clock;
}
