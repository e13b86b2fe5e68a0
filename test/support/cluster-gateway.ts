import { readConfig, type Environment } from '../../src/gateway/config/config.js';
import type { Clock } from '../../src/gateway/query/ports.js';
import { openGateway } from '../../src/gateway/server/compose.js';
import { RecordingLogger } from './recording-logger.js';
import { CLUSTER, type ShardConnections } from './sharded-servers.js';

const KEY = 'qg_of-the-cluster-tests';

/** A complete gateway in front of one server, connected as the production user. */
export interface ClusterGateway {
  readonly logger: RecordingLogger;
  /** Requests an endpoint's result, by default bypassing the cache. */
  readonly send: (
    endpoint: string,
    parameters?: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }>;
  readonly close: () => Promise<void>;
}

/** Opens a gateway in front of one shard, which queries the other shards of its cluster. */
export async function openClusterGateway(
  { reader, admin }: ShardConnections,
  clock: Clock,
  environment: Environment = {},
): Promise<ClusterGateway> {
  const logger = new RecordingLogger();
  const config = readConfig({
    PORT: '0',
    API_KEY: KEY,
    CLICKHOUSE_URL: reader.url,
    CLICKHOUSE_USER: reader.username,
    CLICKHOUSE_PASSWORD: reader.password,
    CLICKHOUSE_CLUSTER: CLUSTER,
    // The tests query the request log.
    CLICKHOUSE_LOG_USER: admin.username,
    CLICKHOUSE_LOG_PASSWORD: admin.password,
    ...environment,
  });
  const gateway = await openGateway(config, { logger, clock });
  return {
    logger,
    send: async (endpoint, parameters = {}, headers = { 'Cache-Control': 'no-cache' }) => {
      const query = new URLSearchParams(parameters).toString();
      const response = await fetch(`${gateway.url}/api/endpoints/query/${endpoint}?${query}`, {
        // Otherwise the closing gateway would wait a second for more requests on each connection.
        headers: { 'X-API-KEY': KEY, Connection: 'close', ...headers },
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
    close: gateway.close,
  };
}
