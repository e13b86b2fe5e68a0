import { existsSync } from 'node:fs';

import { quoteName } from '../../endpoint/quote-sql.js';
import { withClient } from '../clickhouse/with-client.js';
import { EmbeddedServer } from '../embedded/embedded-server.js';
import { SchemaFileError } from '../../gateway/schema/schema-file-error.js';
import { readConfig, type Config, type Environment } from '../../gateway/config/config.js';
import { createLogger, describeError } from '../../gateway/observability/logger.js';
import { openGateway, type Gateway } from '../../gateway/server/compose.js';
import { exitOnFault } from '../../gateway/server/exit-on-fault.js';
import { onSighup } from '../../gateway/server/on-sighup.js';
import { stopOnSignal } from '../../gateway/server/stop-on-signal.js';
import { consoleLine, welcome } from '../../gateway/server/welcome.js';
import { TestRunner } from '../endpoint-tests/test-runner.js';
import { messageOf } from '../loading/load-error.js';
import { DevelopmentServer } from './development-server.js';
import { FINISHED_FILES } from './finished-files.js';
import { PendingChanges } from './pending-changes.js';
import { SchemaChanges, schemaProblem, type DevelopmentParts } from './schema-changes.js';
import { Terminal } from './terminal.js';
import { watchProject, type ChangedPart } from './watch-project.js';

/**
 * Serves the project until SIGTERM or SIGINT, and reloads changed files.
 *
 * @param recreate whether to drop the embedded development database at the start
 * @throws Error with the reason why the server cannot start.
 */
export async function runDev(environment: Environment, recreate: boolean): Promise<void> {
  const config = readConfig(environment);
  requireProject(config);
  const terminal = new Terminal();
  // A terminal shows the requests as lines of text; a pipe gets the gateway's log.
  const logger = createLogger(config.logLevel, process.stdout.isTTY);
  const closeOnFault = exitOnFault(logger);
  if (recreate) await dropEmbedded(config);
  const stopping = new AbortController();
  const development = new DevelopmentServer(config, terminal, stopping.signal);
  const changes = new PendingChanges();
  // Before any file is read, so that no change is missed.
  const watcher = await watchProject(config.project, config.dataDir, {
    onChange: changes.add,
    onError: (error) => {
      terminal.print(
        `The files of the project can’t be watched: ${error.message}. Set CHOKIDAR_USEPOLLING=1 to poll them instead.`,
      );
    },
  });
  const open = (): Promise<Gateway> => openGateway(config, { logger, clock: () => new Date(), development });
  const gateway = await openWhenSchemaIsValid(open, terminal, changes);
  const tests = new TestRunner(environment, config.project, { loading: FINISHED_FILES });
  const failed = (error: unknown): void => {
    if (!stopping.signal.aborted) terminal.print(messageOf(error));
    else logger.warn('not finished when querygate dev stopped', describeError(error));
  };
  const close = async (): Promise<void> => {
    stopping.abort();
    development.end();
    await watcher.close();
    // A server of the tests that does not stop must not keep the gateway from closing.
    await tests.stop().catch(failed);
    await gateway.close();
  };
  closeOnFault(close);
  const stop = stopOnSignal(close, logger);
  onSighup(stop, () => void gateway.reload());
  changes.passTo(reactions({ config, gateway, development, terminal, tests, failed }));
  const { folder } = config.project;
  const watching = `Watching ${folder}: a saved file is served at once. Ctrl-C stops.\n\n`;
  process.stdout.write(welcome(gateway) + consoleLine(gateway) + watching);
  await development.checkAll(gateway.endpoints);
}

/** @throws Error where the folder does not contain a project */
function requireProject({ project: { folder, endpointsFolder } }: Config): void {
  if (existsSync(endpointsFolder)) return;
  throw new Error(
    `${folder} is no project: it has no folder endpoints. Create a project with npx querygate init, or name its folder with --project.`,
  );
}

interface Parts extends DevelopmentParts {
  readonly tests: TestRunner;
  /** Takes what prevented a reaction. */
  readonly failed: (error: unknown) => void;
}

/** What happens after files changed. */
function reactions(parts: Parts): (files: ReadonlyMap<ChangedPart, readonly string[]>) => void {
  const { gateway, development, terminal, failed } = parts;
  let isValid = true;
  const reload = async (): Promise<void> => {
    isValid = (await gateway.reload()).ok;
    development.keepOnly(gateway.endpoints.all());
    await development.checkChanged(gateway.endpoints);
  };
  const schema = new SchemaChanges(parts, reload);
  const react: Readonly<Record<ChangedPart, (files: readonly string[]) => Promise<void> | void>> = {
    endpoints: reload,
    schema: (files) => schema.onSchema(files),
    demo: (files) => {
      schema.onDemo(files);
    },
    environment: () => {
      const notice = '.env changed: restart querygate dev to apply it.';
      terminal.print(notice);
      development.notify('environment', notice);
    },
    // All parts concern them.
    tests: () => undefined,
  };
  const untested = new Map<ChangedPart, readonly string[]>();
  return (files) => {
    for (const [part, names] of files) untested.set(part, [...(untested.get(part) ?? []), ...names]);
    // What was served is reported before what its tests find.
    const served = [...files].map(async ([part, names]) => react[part](names));
    Promise.all(served)
      .then(async () => {
        // Files that are invalid are reported; their tests, and all others, run when they are not.
        if (!isValid) return;
        const changed = new Map(untested);
        untested.clear();
        await runTests(changed, parts);
      })
      .catch(failed);
  };
}

/** Runs the tests that a change affects, and reports their results. */
async function runTests(
  files: ReadonlyMap<ChangedPart, readonly string[]>,
  { tests, terminal, development }: Parts,
): Promise<void> {
  const { tests: ran, files: all, failure } = await tests.runChanged(files);
  if (failure === undefined) {
    terminal.tested(ran);
    development.tested(ran, all);
  } else terminal.print(`The tests did not run: ${failure}`);
}

/** Opens the gateway; where a schema file prevents that, again after each change of one. */
async function openWhenSchemaIsValid(
  open: () => Promise<Gateway>,
  { print }: Terminal,
  changes: PendingChanges,
): Promise<Gateway> {
  for (;;) {
    changes.forget();
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof SchemaFileError)) throw error;
      print(`${schemaProblem(error)}\nWaiting for a change of the files.`);
      await changes.untilChanged('schema', 'demo');
    }
  }
}

/** @throws Error where the configuration names a server of one's own. */
async function dropEmbedded(config: Config): Promise<void> {
  const { clickhouse, dataDir } = config;
  if (clickhouse.kind === 'external') {
    throw new Error(
      'querygate dev never drops a database of CLICKHOUSE_URL: remove --recreate, or CLICKHOUSE_URL.',
    );
  }
  const server = await EmbeddedServer.start({
    dataDir,
    database: clickhouse.database,
    onCrash: () => undefined,
  });
  try {
    const admin = { ...server.adminConnection, database: 'default' };
    const query = `DROP DATABASE IF EXISTS ${quoteName(clickhouse.database)} SYNC`;
    await withClient(admin, 60_000, (client) => client.command({ query }));
  } finally {
    await server.stop();
  }
}
