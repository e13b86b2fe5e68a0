import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

import type { ClickHouseConnection } from '../../gateway/clickhouse/connection.js';
import { usageError } from './exit-codes.js';
import { runFirstQuery } from '../check/first-query.js';
import { withClient } from '../clickhouse/with-client.js';
import { connectionOf } from '../introspect/clickhouse-url.js';
import { introspect } from '../introspect/introspect.js';
import { existingProject } from './project/existing-project.js';
import { packageAdvice } from './project/package-advice.js';
import { exampleProject, type ProjectFiles } from './project/project-files.js';
import { writeNewFile, type Written } from './project/write-new-file.js';
import { interruptible, printWarning } from './run-command.js';

/** The options of `querygate init`, as commander parses them. */
export interface InitOptions {
  readonly from?: string;
  readonly table?: readonly string[];
  readonly user?: string;
  readonly password?: string;
}

/** Socket timeout of the queries to a ClickHouse. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Writes the files of a project that do not exist yet, and prints each. */
export async function runInit(folder: string, options: InitOptions, signal: AbortSignal): Promise<void> {
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
  if (others.length > 0) process.stderr.write(withoutEndpoint(others));
  if (skipped !== undefined) process.stderr.write(`${skipped}\n`);
  const manifest = files.find((file) => file.path === 'package.json');
  if (manifest && written.get(manifest.path) === 'kept') {
    for (const line of await packageAdvice(target, manifest)) {
      process.stderr.write(`package.json was kept. Add ${line}\n`);
    }
  }
  process.stderr.write(nextSteps(folder, target, options.from !== undefined));
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
  { from, table = [], user, password }: InitOptions,
  signal: AbortSignal,
): Promise<InitFiles> {
  if (from !== undefined) {
    const credentials = { ...(user !== undefined && { user }), ...(password !== undefined && { password }) };
    return fromServer(target, connectionOf(from, credentials, process.env), table, signal);
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

/** Tables that a message lists. */
const MAX_SHOWN = 20;

function withoutEndpoint(tables: readonly string[]): string {
  const more = tables.length > MAX_SHOWN ? ` and ${tables.length - MAX_SHOWN} more` : '';
  return (
    `Tables without an endpoint: ${tables.slice(0, MAX_SHOWN).join(', ')}${more}. ` +
    'For one of a table: npx querygate new NAME --table TABLE\n'
  );
}

function nextSteps(folder: string, target: string, hasServer: boolean): string {
  const steps = [
    ...(target === process.cwd() ? [] : [`cd ${quoted(folder)}`]),
    ...(hasServer ? ['cp .env.example .env, and set CLICKHOUSE_PASSWORD in it'] : []),
    ...(isInstalled(target) ? [] : ['npm install']),
    'npx querygate dev',
  ];
  return `\nNext:\n${steps.map((step) => `  ${step}\n`).join('')}`;
}

/** As a shell takes it for one word. */
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
