import type { ClickHouseConnection } from '../../gateway/clickhouse/connection.js';
import { firstRespondingServer } from '../../gateway/clickhouse/first-responding-server.js';
import type { ClickHouseConfig } from '../../gateway/config/config.js';

type External = Extract<ClickHouseConfig, { readonly kind: 'external' }>;

/** A connection to the first configured server that responds. @throws Error where none responds */
export function externalConnection({
  urls,
  username,
  password,
  database,
}: External): Promise<ClickHouseConnection> {
  return firstRespondingServer(urls.map((url) => ({ url, username, password, database })));
}
