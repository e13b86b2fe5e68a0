import type { Endpoint } from '../../endpoint/endpoint.js';
import type { AnalysisTools } from '../../gateway/analysis/analyze-query.js';
import type { QueryClient } from '../../gateway/clickhouse/connect-clickhouse.js';
import type { ClickHouseConnection } from '../../gateway/clickhouse/connection.js';
import { createQueryRunner } from '../../gateway/clickhouse/query-runner.js';
import type { Config } from '../../gateway/config/config.js';
import type { Call } from '../../gateway/query/call.js';
import type { RunQuery } from '../../gateway/query/ports.js';
import type { RawParameters } from '../../gateway/query/raw-parameters.js';
import { EVERY_ROW } from '../../gateway/query/row-scope.js';
import { validateParameters } from '../../gateway/query/validate-parameters.js';
import { clusterOptions } from '../../gateway/server/open-clickhouse.js';
import { runFirstQuery } from '../check/first-query.js';
import { withClient } from './with-client.js';

/** What a command runs calls with: the settings and limits of the gateway, without its cache and its queue. */
export interface CallTools extends AnalysisTools {
  readonly runQuery: RunQuery;
}

/** Tools on one server. */
export function callTools(client: QueryClient, config: Config, signal: AbortSignal): CallTools {
  const runQuery = createQueryRunner(client, config.queryLimits, clusterOptions(config));
  return { client, runQuery, now: () => new Date(), signal };
}

/**
 * Runs a task with tools on a server that is running.
 *
 * @throws Error where the server is unreachable or rejects the user: this is reported once, not for each endpoint.
 */
export function withCallTools<T>(
  connection: ClickHouseConnection,
  config: Config,
  signal: AbortSignal,
  task: (tools: CallTools) => Promise<T>,
): Promise<T> {
  return withClient(connection, config.queryTimeoutMs + 5000, async (client) => {
    await runFirstQuery(client, connection.url, signal);
    return task(callTools(client, config, signal));
  });
}

/**
 * A call with what a caller sends, by default without pinned parameters.
 *
 * @param requestId names the command in ClickHouse's query log.
 * @throws Failure where the parameters are invalid
 */
export function callOf(
  endpoint: Endpoint,
  sent: RawParameters,
  { now, signal }: Pick<CallTools, 'now' | 'signal'>,
  facts: Pick<Call, 'requestId'> & Partial<Pick<Call, 'scope' | 'representation'>>,
): Call {
  const values = validateParameters(endpoint, sent, { now: now() });
  return { endpoint, values, scope: EVERY_ROW, signal, demand: 'any', ...facts };
}
