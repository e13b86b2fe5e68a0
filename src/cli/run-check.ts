import { connectClickHouse, type ClickHouseConnection } from '../clickhouse/connection.js';
import { createQueryRunner } from '../clickhouse/query-runner.js';
import { readConfig, type Config } from '../config/config.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import { loadProjectEndpoints } from '../server/project-endpoints.js';
import { checkEndpoint } from './check/check-endpoint.js';
import { checkGrants, checkReader, type CheckedGrants } from './check/check-grants.js';
import { checkTable } from './check/check-report.js';
import type { CheckedEndpoint } from './check/checked-endpoint.js';
import { SqlFiles } from './check/sql-file.js';
import { withClickHouse } from './check/with-clickhouse.js';
import { endpointNamed } from './endpoint-named.js';
import { EXIT } from './exit-codes.js';
import { runFirstQuery } from './first-query.js';
import { Progress } from './progress.js';
import { printError, printWarning } from './run-command.js';
import { targetOf } from './style.js';

/** The options of `querygate check`, as commander parses them. */
export interface CheckOptions {
  readonly json?: boolean;
  /** Whether `columns` are written into `.sql` files that lack them. */
  readonly write: boolean;
}

/** Checks the named endpoints, or all endpoints, and prints the result. */
export async function runCheck(
  names: readonly string[],
  { json, write }: CheckOptions,
  signal: AbortSignal,
): Promise<void> {
  const config = readConfig(process.env);
  const files = new SqlFiles(config.project.endpointsFolder);
  const endpoints = await loadProjectEndpoints(config, files);
  const chosen = names.length === 0 ? endpoints.all() : names.map((name) => endpointNamed(endpoints, name));
  const unique = [...new Set(chosen)];
  const progress = new Progress({ phase: 'starting ClickHouse', done: 0, total: unique.length });
  const [checked, grants] = await withClickHouse(
    config,
    endpoints.all(),
    signal,
    async (connection, needed) => {
      const task = { config, progress, signal, files, writes: write, isTemporary: needed !== undefined };
      const result = await checkAll(unique, connection, task);
      const compared = needed
        ? await checkGrants(config.project, needed, result)
        : await checkReader(connection, endpoints.all(), result);
      return [result, compared] as const;
    },
  ).finally(() => {
    progress.end();
  });
  print(checked, grants, json ?? false);
}

interface CheckTask {
  readonly config: Config;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  readonly files: SqlFiles;
  readonly writes: boolean;
  readonly isTemporary: boolean;
}

/** Checks endpoints one at a time, so that concurrent queries do not distort the times. */
async function checkAll(
  endpoints: readonly Endpoint[],
  connection: ClickHouseConnection,
  { config, progress, signal, files, writes, isTemporary }: CheckTask,
): Promise<readonly CheckedEndpoint[]> {
  const { queryLimits, queryTimeoutMs } = config;
  const client = connectClickHouse(connection, {
    maxOpenConnections: 4,
    requestTimeoutMs: queryTimeoutMs + 5000,
  });
  try {
    // An unreachable server is reported once, not for each endpoint.
    await runFirstQuery(client, connection.url, signal);
    const runQuery = createQueryRunner(client, queryLimits);
    const tools = { client, runQuery, now: () => new Date(), signal, writes, isTemporary };
    const checked: CheckedEndpoint[] = [];
    for (const endpoint of endpoints) {
      progress.update({ phase: `checking ${endpoint.name}`, done: checked.length });
      checked.push(await checkEndpoint(endpoint, tools, files.of(endpoint)));
    }
    return checked;
  } finally {
    await client.close();
  }
}

function print(checked: readonly CheckedEndpoint[], grants: CheckedGrants, json: boolean): void {
  for (const { columnsWritten } of checked) {
    if (!columnsWritten) continue;
    process.stderr.write(`wrote into the header of ${columnsWritten.file}:\n${columnsWritten.text}\n`);
  }
  const ok = [...checked, grants].every(({ faults }) => faults.length === 0);
  if (!ok) process.exitCode = EXIT.failed;
  if (json) {
    process.stdout.write(`${JSON.stringify({ ok, endpoints: checked, grants }, undefined, 2)}\n`);
    return;
  }
  process.stdout.write(checkTable(checked, targetOf(process.stdout)));
  for (const { name, faults, warnings } of checked) {
    for (const warning of warnings) printWarning(`${name}: ${warning}`);
    for (const fault of faults) printError(`${name}: ${fault}`);
  }
  for (const warning of grants.warnings) printWarning(warning);
  for (const fault of grants.faults) printError(fault);
}
