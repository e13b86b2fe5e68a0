import { createPing } from '../clickhouse/ping.js';
import { createQueryRunner } from '../clickhouse/query-runner.js';
import { createSqlParser } from '../clickhouse/sql-parser.js';
import type { Config } from '../config/config.js';
import type { Tracing } from '../observability/tracing.js';
import { clusterOptions, type OpenServer } from './open-clickhouse.js';
import type { QueryServer } from './open-scheduler.js';

/** How queries are run and SQL is parsed on each server; each try is a span of its own where there are traces. */
export function queryServers(
  servers: readonly OpenServer[],
  config: Config,
  tracing: Tracing | undefined,
): readonly QueryServer[] {
  return servers.map(({ name, url, client }) => {
    const query = createQueryRunner(client, config.queryLimits, clusterOptions(config));
    const runQuery = tracing?.trace(query) ?? query;
    return { name, runQuery, parser: createSqlParser(client), ping: createPing(url) };
  });
}
