import { Command } from 'commander';
import path from 'node:path';

import type { Endpoint } from '../../endpoint/endpoint.js';
import type { EndpointRegistry } from '../../endpoint/registry.js';
import { textOfProblem } from '../../endpoint/file-problems.js';
import { replaceFile } from '../../files/replace-file.js';
import type { ClickHouseConnection } from '../../gateway/clickhouse/connection.js';
import { readConfig, type Config } from '../../gateway/config/config.js';
import { loadProjectEndpoints, ProblemsOfFiles } from '../../gateway/server/project-endpoints.js';
import { requireOwnNames } from '../../gateway/tables/table-name.js';
import { checkEndpoint } from '../check/check-endpoint.js';
import { writeMissingIds } from '../check/missing-ids.js';
import { withUntilChanged } from '../check/until-changed.js';
import { versionsConnection, type OpenClickHouse } from '../../gateway/server/open-clickhouse.js';
import type { CheckedEndpoint } from '../check/checked-endpoint.js';
import { withCallTools } from '../clickhouse/call-tools.js';
import { withServer, type CommandServer, type DataSource } from '../clickhouse/with-server.js';
import { prepareDatabase } from '../demo-data/prepare-database.js';
import { grantReader, readerGrants } from '../embedded/grant-reader.js';
import type { NeededGrants } from '../grants/needed-grants.js';
import { checkGrants, checkReader, type CheckedGrants } from './check/check-grants.js';
import { checkJson } from './check/check-json.js';
import { checkJunit } from './check/check-junit.js';
import { checkTable, untilChangedTable } from './check/check-report.js';
import { EXIT } from './exit-codes.js';
import { endpointNamed, filesByEndpoint } from './project/endpoints.js';
import { Progress } from './progress.js';
import { withProjectOption } from './project-option.js';
import { runCommand, printError, printWarning } from './run-command.js';

/** `querygate check`: compares the endpoints' definitions with a real ClickHouse. */
export function checkCommand(): Command {
  return withProjectOption(new Command('check'))
    .description('Runs every endpoint’s example on a real ClickHouse and compares its columns with DESCRIBE.')
    .argument('[endpoint...]', 'names or ids; all endpoints by default')
    .option('--json', 'print the result as JSON')
    .option('--junit <file>', 'write the result as JUnit XML to a file too, for CI')
    .option(
      '--demo',
      'check on a temporary server with demonstration data, even where the project has data',
      false,
    )
    .option(
      '--no-write',
      'do not write columns and ids into .sql files that have none: report them as a fault',
    )
    .addHelpText('after', HELP)
    .action((names: readonly string[], options: CheckOptions) =>
      runCommand((signal) => runCheck(names, options, signal)),
    );
}

interface CheckOptions {
  readonly json?: boolean;
  /** A file for the result as JUnit XML. */
  readonly junit?: string;
  /** Whether `columns` and `id` are written into `.sql` files that lack them. */
  readonly write: boolean;
  /** Whether to check on a temporary server, even where the project has data. */
  readonly demo: boolean;
}

/** Checks the named endpoints, or all endpoints, and prints the result. */
async function runCheck(
  names: readonly string[],
  { json = false, junit, write, demo }: CheckOptions,
  signal: AbortSignal,
): Promise<void> {
  const config = readConfig(process.env);
  const endpoints = await loadEndpoints(config, write);
  requireOwnNames(endpoints.all());
  const chosen = names.length === 0 ? endpoints.all() : names.map((name) => endpointNamed(endpoints, name));
  const unique = [...new Set(chosen)];
  const progress = new Progress({ phase: 'starting ClickHouse', done: 0, total: unique.length });
  const sources: readonly DataSource[] = demo ? ['temporary'] : ['external', 'own', 'temporary'];
  const [checked, grants] = await withServer(
    config,
    { sources, demoData: true, copiesOwn: true, signal },
    async (server) => {
      const { connection, needed } = await readerOf(server, config, endpoints.all());
      if (server.source === 'own' && !json) progress.printLine(onOwnData(config));
      const isTemporary = server.source === 'temporary';
      const versions = versionsOf(server, config);
      const task = { config, progress, signal, writes: write, isTemporary, versions };
      const result = await checkAll(unique, connection, task);
      const compared = needed
        ? await checkGrants(config.project, needed, result)
        : await checkReader(connection, endpoints.all(), result);
      return [result, compared] as const;
    },
  ).finally(() => {
    progress.end();
  });
  // Printed first, so that a file that cannot be written hides nothing.
  print(checked, grants, json);
  if (junit !== undefined) await replaceFile(junit, checkJunit(checked, grants));
}

/** The endpoints, with an id for each file that lacks one. @throws Error that lists every invalid file */
async function loadEndpoints(config: Config, writes: boolean): Promise<EndpointRegistry> {
  try {
    return await loadProjectEndpoints(config, { mayLackColumns: true });
  } catch (error) {
    if (!writes || !(error instanceof ProblemsOfFiles)) throw error;
    const { endpointsFolder } = config.project;
    const left = await writeMissingIds(endpointsFolder, error.problems, (file, id) => {
      process.stderr.write(`wrote into the header of ${file}:\nid: ${id}\n`);
    });
    if (left.length === error.problems.length) throw error;
    return loadProjectEndpoints(config, { mayLackColumns: true });
  }
}

const onOwnData = ({ dataDir }: Config): string =>
  `checked on the data in ${path.relative('', dataDir)}; --demo checks on a temporary server with demonstration data`;

/**
 * A reader that has exactly the grants that the endpoints need; on a server of one's own the configured user, and through a
 * running gateway's server its administrator. With the grants, where the gateway itself gives them.
 */
async function readerOf(
  { source, admin, started }: CommandServer,
  { project: { schemaFolder } }: Config,
  endpoints: readonly Endpoint[],
): Promise<{ readonly connection: ClickHouseConnection; readonly needed?: NeededGrants }> {
  if (source === 'external') return { connection: admin };
  if (!started) return { connection: admin, needed: await readerGrants(admin, schemaFolder, endpoints) };
  // Applies the schema like the next start of the gateway, but to a copy of the data.
  if (source === 'own') await prepareDatabase(admin, { schemaFolder });
  const needed = await grantReader(started, schemaFolder, endpoints);
  return { connection: started.readerConnection, needed };
}

/** The connection for versions: for a server that this command or a gateway started, that of its administrator, as in the gateway. */
function versionsOf({ source, admin }: CommandServer, { clickhouse }: Config): OpenClickHouse['versions'] {
  return source === 'external' && clickhouse.kind === 'external' ? versionsConnection(clickhouse) : admin;
}

interface CheckTask {
  readonly config: Config;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  readonly writes: boolean;
  readonly isTemporary: boolean;
  /** The connection of the user that reads the versions of tables, or why there is none. */
  readonly versions: OpenClickHouse['versions'];
}

/** Checks endpoints one at a time, so that concurrent queries do not distort the times. */
async function checkAll(
  endpoints: readonly Endpoint[],
  connection: ClickHouseConnection,
  { config, progress, signal, versions, ...options }: CheckTask,
): Promise<readonly CheckedEndpoint[]> {
  const paths = await filesByEndpoint(config.project);
  return withCallTools(connection, config, signal, async (calls) => {
    const tools = { ...calls, ...options };
    const checked: CheckedEndpoint[] = [];
    for (const endpoint of endpoints) {
      progress.update({ phase: `checking ${endpoint.name}`, done: checked.length });
      const source = { shownPath: paths.get(endpoint.name) };
      checked.push(await checkEndpoint(endpoint, tools, source));
    }
    return withUntilChanged(checked, endpoints, versions, tools);
  });
}

function print(checked: readonly CheckedEndpoint[], grants: CheckedGrants, json: boolean): void {
  for (const { columnsWritten } of checked) {
    if (!columnsWritten) continue;
    process.stderr.write(`wrote into the header of ${columnsWritten.file}:\n${columnsWritten.text}\n`);
  }
  const ok = [...checked, grants].every(({ problems }) => problems.length === 0);
  if (!ok) process.exitCode = EXIT.failed;
  if (json) {
    process.stdout.write(checkJson(checked, grants, ok));
    return;
  }
  process.stdout.write(checkTable(checked, process.stdout));
  process.stdout.write(`\n${untilChangedTable(checked)}`);
  for (const { name, problems, warnings } of checked) {
    for (const warning of warnings) printWarning(`${name}: ${warning}`);
    for (const problem of problems) printError(`${name}: ${textOfProblem(problem)}`);
  }
  for (const warning of grants.warnings) printWarning(warning);
  for (const problem of grants.problems) printError(textOfProblem(problem));
}

const HELP = `
CLICKHOUSE_URL (of several servers, the first that responds), CLICKHOUSE_USER and CLICKHOUSE_PASSWORD name the server; a
read-only user is enough. Without CLICKHOUSE_URL the data is that of the project's data folder (.data): a copy, to which
the schema is applied and which is deleted, or the data itself through the gateway that serves it, if one runs; without such a folder, and with --demo, it is that of a temporary server with demonstration data.

The table shows rows, time, the rows that ClickHouse read, and the parts and granules of each table that it reads, of how
many. Examples that fail and columns that differ are faults. Empty results, full scans (nearly all granules of a table that
has 64 or more), and time filters with which ClickHouse reads a whole table are warnings. The state of an example without
rows is never ok.

A .sql file whose header has no columns gets them, from DESCRIBE; with --no-write that is a fault. Its optional parts are
analysed in up to 200 combinations.

Examples:
  querygate check
  querygate check orders.by-day orders.newest --json
  querygate check --no-write --junit check.xml
  CLICKHOUSE_URL=http://clickhouse:8123 CLICKHOUSE_USER=querygate CLICKHOUSE_PASSWORD=secret querygate check

Exit codes: 0 no fault (perhaps warnings); 1 a fault, or ClickHouse is unreachable; 2 invalid usage; 130 or 143 ended by
a signal.`;
