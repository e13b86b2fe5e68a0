import type { ServerPool } from '../admission/server-pool.js';
import { spreadParser } from '../admission/spread-parser.js';
import { createPing } from '../clickhouse/ping.js';
import { createQueryRunner } from '../clickhouse/query-runner.js';
import { createSqlParser } from '../clickhouse/sql-parser.js';
import type { Config } from '../config/config.js';
import type { SqlParser } from '../execution/sandbox.js';
import type { QueryServer } from './open-admission.js';
import { clusterManners, type OpenServer } from './open-clickhouse.js';
import type { Tracing } from '../tracing/tracing.js';

/** How queries are run on each server; each try is a span of its own where there are traces. */
export function queryServers(
  servers: readonly OpenServer[],
  config: Config,
  tracing: Tracing | undefined,
): readonly QueryServer[] {
  return servers.map(({ name, url, client }) => {
    const query = createQueryRunner(client, config.queryLimits, clusterManners(config));
    return { name, runQuery: tracing?.trace(query) ?? query, ping: createPing(url) };
  });
}

/** The parsers of all servers as one; those that the pool has set aside are asked last. */
export function parserOf(servers: readonly OpenServer[], pool: ServerPool): SqlParser {
  return spreadParser(
    servers.map(({ name, client }) => ({
      parser: createSqlParser(client),
      isServing: () => pool.isServing(name),
    })),
  );
}
