import { readConfig } from '../../src/gateway/config/config.js';
import { openGateway } from '../../src/gateway/server/compose.js';
import { RecordingLogger } from './recording-logger.js';

/** A complete gateway in front of several ClickHouse servers. */
export interface MultiServerGateway {
  readonly logger: RecordingLogger;
  readonly fetch: (path: string) => Promise<Response>;
  /** Requests usage.api-counts. */
  readonly send: (project: string, requestId: string, signal?: AbortSignal) => Promise<Response>;
  /** Returns the sum of the metric `querygate_clickhouse_NAME`, over all servers or of one. */
  readonly metric: (name: string, server?: string) => Promise<number>;
  readonly close: () => Promise<void>;
}

export async function openMultiServerGateway(
  urls: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<MultiServerGateway> {
  const logger = new RecordingLogger();
  const config = readConfig({
    PORT: '0',
    ADMIN_PORT: '0',
    API_KEY: 'k',
    CLICKHOUSE_URL: urls.join(','),
    ...environment,
  });
  const gateway = await openGateway(config, { logger, clock: () => new Date() });
  const { adminUrl } = gateway;
  if (adminUrl === undefined) throw new Error('the gateway has no admin API');
  // Otherwise the closing gateway would wait a second for more requests on each connection.
  const headers = { 'X-API-KEY': 'k', Connection: 'close' };
  return {
    logger,
    fetch: (path) => fetch(gateway.url + path, { headers }),
    send: (project, requestId, signal) => {
      const query = new URLSearchParams({ project, interval: 'daily' }).toString();
      return fetch(`${gateway.url}/api/endpoints/query/usage.api-counts?${query}`, {
        headers: { ...headers, 'X-Request-Id': requestId },
        ...(signal && { signal }),
      });
    },
    metric: async (name, server) => {
      const text = await (await fetch(`${adminUrl}/metrics`, { headers })).text();
      const label = server === undefined ? '' : `server="${server}"`;
      const samples = text
        .split('\n')
        .filter((line) => new RegExp(`^querygate_clickhouse_${name}[{ ]`).test(line) && line.includes(label));
      if (samples.length === 0) throw new Error(`there is no metric ${name} ${label}`);
      return samples.map((line) => Number(line.split(' ').at(-1))).reduce((sum, value) => sum + value, 0);
    },
    close: gateway.close,
  };
}
