import { Command, Option } from 'commander';
import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

import type { ClickHouseConnection } from '../../gateway/clickhouse/connection.js';
import { runFirstQuery } from '../check/first-query.js';
import { withClient } from '../clickhouse/with-client.js';
import { connectionOf } from '../introspect/clickhouse-url.js';
import { introspect, listed } from '../introspect/introspect.js';
import { EXIT_CODES_HELP, usageError } from './exit-codes.js';
import { collect } from './option-values.js';
import { deployFiles, DEPLOYMENTS, type Deployment } from './project/deploy-files.js';
import { existingProject } from './project/existing-project.js';
import { packageAdvice } from './project/package-advice.js';
import { exampleProject, type ProjectFiles } from './project/project-files.js';
import { writeNewFile, type Written } from './project/write-new-file.js';
import { runCommand, interruptible, printWarning } from './run-command.js';

/** `querygate init`: writes a project. */
export function initCommand(): Command {
  return new Command('init')
    .description('Writes a small project that runs at once, or one over the tables of a ClickHouse.')
    .argument('[folder]', 'the project’s folder; it need not exist', '.')
    .option('--from <url>', 'write endpoints for a ClickHouse, such as https://reader@clickhouse:8443/shop')
    .option('--table <name>', 'with --from, a table or view: NAME or DATABASE.NAME; repeatable', collect)
    .option('--user <name>', 'with --from (default: the URL’s, else CLICKHOUSE_USER)')
    .option('--password <text>', 'with --from (default: the URL’s, else CLICKHOUSE_PASSWORD)')
    .addOption(
      new Option('--deploy <way>', 'write only the files with which a project is deployed').choices(
        DEPLOYMENTS,
      ),
    )
    .addHelpText('after', HELP)
    .action((folder: string, options: InitOptions) =>
      runCommand((signal) => runInit(folder, options, signal)),
    );
}

interface InitOptions {
  readonly deploy?: Deployment;
  readonly from?: string;
  readonly table?: readonly string[];
  readonly user?: string;
  readonly password?: string;
}

/** Socket timeout of the queries to a ClickHouse. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Writes the files of a project that do not exist yet, and prints each. */
async function runInit(folder: string, options: InitOptions, signal: AbortSignal): Promise<void> {
  const target = path.resolve(folder);
  await rejectFile(target);
  const { files, leftOut, others, skipped } = await projectFiles(target, options, signal);
  const written = new Map<string, Written>();
  for (const file of files) {
    const outcome = await writeNewFile(target, file);
    written.set(file.path, outcome);
    process.stdout.write(
      outcome === 'created' ? `created ${file.path}\n` : `kept    ${file.path} (exists)\n`,
    );
  }
  for (const reason of leftOut) printWarning(`not carried over: ${reason}`);
  if (others.length > 0) {
    const advice = 'For one of a table: npx querygate new NAME --table TABLE';
    process.stderr.write(`Tables without an endpoint: ${listed(others)}. ${advice}\n`);
  }
  if (skipped !== undefined) process.stderr.write(`${skipped}\n`);
  const manifest = files.find((file) => file.path === 'package.json');
  if (manifest && written.get(manifest.path) === 'kept') {
    for (const line of await packageAdvice(target, manifest)) {
      process.stderr.write(`package.json was kept. Add ${line}\n`);
    }
  }
  process.stderr.write(
    options.deploy === undefined
      ? nextSteps(folder, target, options.from !== undefined)
      : DEPLOY_STEPS[options.deploy],
  );
}

/** @throws Error where a file is in the place of the folder, or of one above it */
async function rejectFile(folder: string): Promise<void> {
  const problem = await stat(folder).then(
    (found) => (found.isDirectory() ? undefined : 'it is not a folder'),
    (error: unknown) => {
      const { code, message } = error as NodeJS.ErrnoException;
      return code === 'ENOENT' ? undefined : message;
    },
  );
  if (problem !== undefined) throw new Error(`${folder} cannot be the folder of a project: ${problem}`);
}

interface InitFiles extends ProjectFiles {
  readonly leftOut: readonly string[];
  /** Names of tables that no endpoint was made of. */
  readonly others: readonly string[];
}

async function projectFiles(
  target: string,
  { from, table = [], user, password, deploy }: InitOptions,
  signal: AbortSignal,
): Promise<InitFiles> {
  if (deploy !== undefined) {
    if (from !== undefined) throw usageError('--deploy is for a project that exists: leave --from out');
    return { files: await deployFiles(deploy, target), leftOut: [], others: [] };
  }
  if (from !== undefined) {
    return fromServer(target, connectionOf(from, { user, password }, process.env), table, signal);
  }
  if (table.length > 0 || user !== undefined || password !== undefined) {
    throw usageError('--table, --user and --password need --from with the URL of a ClickHouse');
  }
  return { ...(await exampleProject(target)), leftOut: [], others: [] };
}

async function fromServer(
  target: string,
  connection: ClickHouseConnection,
  tables: readonly string[],
  signal: AbortSignal,
): Promise<InitFiles> {
  return withClient(connection, REQUEST_TIMEOUT_MS, (client) =>
    interruptible(signal, async () => {
      await runFirstQuery(client, connection.url, signal);
      const tools = { client, now: () => new Date(), signal };
      const { files, leftOut, others } = await introspect(tools, connection.database, tables);
      const project = await existingProject(target, files, connection);
      return { files: project.files, leftOut: [...leftOut, ...project.leftOut], others };
    }),
  );
}

const DEPLOY_STEPS: Readonly<Record<Deployment, string>> = {
  compose: '\nNext: docs/how-to/deploy.md of the package, With Docker Compose\n',
  systemd: '\nNext: docs/how-to/deploy.md of the package, On one machine\n',
  kubernetes: '\nNext: docs/how-to/deploy-on-kubernetes.md of the package\n',
};

function nextSteps(folder: string, target: string, hasServer: boolean): string {
  const steps = [
    ...(target === process.cwd() ? [] : [`cd ${quoted(folder)}`]),
    ...(hasServer ? ['cp .env.example .env, and set CLICKHOUSE_PASSWORD in it'] : []),
    ...(isInstalled(target) ? [] : [hasServer ? 'npm install --omit=optional' : 'npm install']),
    'npx querygate dev',
  ];
  return `\nNext:\n${steps.map((step) => `  ${step}\n`).join('')}`;
}

/** A text in quotes, which a shell takes for one word. */
const quoted = (text: string): string =>
  /^[\w./~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** Whether npx finds the package from the folder. */
function isInstalled(folder: string): boolean {
  try {
    createRequire(path.join(folder, 'package.json')).resolve('querygate/package.json');
    return true;
  } catch {
    return false;
  }
}

const HELP = `
Writes endpoints, a table, demonstration data, package.json, tsconfig.json, README.md, docker-compose.yml, .env.example and
.gitignore, and prints each. Nothing is overwritten: a file that exists is kept. Where the folder has endpoints, schema files
or demonstration data of its own, no others are added.

With --from it asks a ClickHouse, and changes nothing there. It writes an endpoint for each --table, and for each
parameterised view of the URL’s database (else CLICKHOUSE_DATABASE, else default). What could not be carried over is listed
with the reason. The password is in no file; other users of this machine can see a --password, and a password in the URL: prefer the variable.

With --deploy it writes, into a project, what its deployment needs: docker-compose.yml; or deploy/ with a systemd unit, nginx and the
variables; or deploy/kubernetes/ with manifests, in which the files of the project are.

Examples:
  querygate init shop
  querygate init --deploy systemd shop
  CLICKHOUSE_PASSWORD=secret querygate init shop --from https://clickhouse:8443/shop --user reader --table orders
${EXIT_CODES_HELP}`;
