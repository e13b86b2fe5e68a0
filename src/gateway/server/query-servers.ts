import { createStatementRunner } from '../clickhouse/statement-runner.js';
import { createPing } from '../clickhouse/ping.js';
import { createExportRunner } from '../clickhouse/export-runner.js';
import { createQueryRunner } from '../clickhouse/query-runner.js';
import { createSqlParser } from '../clickhouse/sql-parser.js';
import type { Config } from '../config/config.js';
import type { Tracing } from '../observability/tracing.js';
import type { ClockMonitor } from './clock-monitor.js';
import { clusterOptions, type OpenServer } from './open-clickhouse.js';
import type { QueryServer } from './open-scheduler.js';

/** Creates the functions that run queries and parse SQL on each server. With tracing, each attempt has its own span. */
export function queryServers(
  servers: readonly OpenServer[],
  config: Config,
  tracing: Tracing | undefined,
  clocks: Pick<ClockMonitor, 'note'>,
): readonly QueryServer[] {
  return servers.map(({ name, url, client }) => {
    const query = createQueryRunner(client, config.queryLimits, clusterOptions(config));
    const exporting = createExportRunner(client, config.queryLimits, clusterOptions(config));
    const stating = createStatementRunner(client, config.queryLimits, clusterOptions(config));
    const runQuery = tracing?.trace(query) ?? query;
    const runExport = tracing?.trace(exporting) ?? exporting;
    const runStatement = tracing?.trace(stating) ?? stating;
    const pingServer = createPing(url, (date) => {
      clocks.note(name, date);
    });
    const { overrides } = client;
    const ping = async (signal: AbortSignal): Promise<boolean> => {
      // The settings are read only where they are a problem, because a query wakes a paused cloud service.
      if (overrides.problem !== undefined) await overrides.ready(signal);
      return pingServer(signal);
    };
    return { name, runQuery, runExport, runStatement, parser: createSqlParser(client), ping };
  });
}
