import { Command, Option } from 'commander';

import { problemOfEndpointName } from '../../endpoint/check-definition.js';
import { readConfig } from '../../gateway/config/config.js';
import { projectFolder, projectIn } from '../../gateway/config/project.js';
import { isOwnEndpoint } from '../../gateway/observability/own-endpoints.js';
import { withCallTools } from '../clickhouse/call-tools.js';
import { withServer } from '../clickhouse/with-server.js';
import { NotCarriedOver } from '../introspect/draft.js';
import { introspectTable } from '../introspect/introspect.js';
import { EXIT_CODES_HELP, CommandError, EXIT, usageError } from './exit-codes.js';
import { withProjectOption } from './project-option.js';
import { filesByEndpoint } from './project/endpoints.js';
import { newEndpointFile, newTestFile, newTestOfTable } from './project/templates.js';
import { writeNewFile, type ProjectFile } from './project/write-new-file.js';
import { printWarning, runCommand } from './run-command.js';

/** `querygate new`: writes a new endpoint file. */
export function newCommand(): Command {
  return withProjectOption(new Command('new'))
    .description('Writes an endpoint file that runs as it is, with an id of its own.')
    .argument('<name>', 'name of the endpoint, such as orders.by-day')
    .option('--sql', 'write it in SQL (the default)')
    .addOption(
      new Option('--ts', 'write it in TypeScript, for a query that changes its shape').conflicts([
        'sql',
        'table',
      ]),
    )
    .option('--table <table>', 'write it in SQL over a table of the database')
    .addHelpText(
      'after',
      `
Writes endpoints/NAME.sql or endpoints/NAME.ts, and prints its path; and its test, tests/NAME.yaml. Nothing is overwritten.

With --table the endpoint returns the table's rows, newest first, with parameters for its time and sorting key. The
columns come from CLICKHOUSE_URL; without it, from the embedded server that runs in DATA_DIR, or the schema files.

Examples:
  querygate new orders.by-day
  querygate new orders --table orders
  querygate new orders.by-day --ts --project shop
${EXIT_CODES_HELP}`,
    )
    .action((name: string, options: NewOptions) => runCommand((signal) => runNew(name, options, signal)));
}

interface NewOptions {
  readonly ts?: boolean;
  /** Table whose rows the endpoint returns. */
  readonly table?: string;
}

/** Writes a new endpoint file, and prints its path. */
async function runNew(name: string, { ts = false, table }: NewOptions, signal: AbortSignal): Promise<void> {
  rejectName(name);
  const project = projectIn(projectFolder(process.env));
  const existing = (await filesByEndpoint(project)).get(name);
  if (existing !== undefined) throw nameIsTaken(name, existing);
  const { file, test } =
    table === undefined
      ? await templatesOf(name, ts ? 'ts' : 'sql')
      : await filesOfTable(name, table, signal);
  if ((await writeNewFile(project.folder, file)) === 'kept') throw nameIsTaken(name, file.path);
  process.stdout.write(`${file.path}\n`);
  if (test && (await writeNewFile(project.folder, test)) === 'created')
    process.stderr.write(`Its test is ${test.path}: npx querygate test ${name}\n`);
  process.stderr.write(`Next: edit it, then run npx querygate check ${name} and npx querygate dev\n`);
}

/** The files of an endpoint. */
interface NewFiles {
  readonly file: ProjectFile;
  readonly test?: ProjectFile;
}

const templatesOf = async (name: string, form: 'sql' | 'ts'): Promise<NewFiles> => ({
  file: await newEndpointFile(name, form),
  test: await newTestFile(name),
});

/**
 * The file of an endpoint over a table of the project, with the columns that ClickHouse describes. Adds a test where the schema files
 * create the table. Prints what the endpoint omits.
 *
 * @throws CommandError where the table does not exist, or cannot have an endpoint.
 */
async function filesOfTable(name: string, table: string, signal: AbortSignal): Promise<NewFiles> {
  const server = { sources: ['external', 'own', 'temporary'], signal } as const;
  const config = readConfig(process.env);
  return withServer(config, server, ({ admin, source }) =>
    withCallTools(admin, config, signal, async (tools) => {
      const { file, leftOut, since } = await introspectTable(tools, admin.database, name, table);
      for (const reason of leftOut) printWarning(`left out: ${reason}`);
      if (since !== undefined)
        process.stderr.write(`The newest rows are older than the default of since: set since=${since}\n`);
      return source === 'external' ? { file } : { file, test: newTestOfTable(name, table) };
    }),
  ).catch((cause: unknown) => {
    if (!(cause instanceof NotCarriedOver)) throw cause;
    throw new CommandError(`${table}: ${cause.message}. Nothing was written.`, EXIT.failed, { cause });
  });
}

/** @throws CommandError (invalid usage) where no endpoint of a project can have the name */
function rejectName(name: string): void {
  const problem = isOwnEndpoint(name)
    ? 'is an endpoint of the gateway itself: choose another name'
    : problemOfEndpointName(name);
  if (problem !== undefined) throw usageError(`${name} ${problem}, such as orders.by-day`);
}

function nameIsTaken(name: string, file: string): CommandError {
  return new CommandError(
    `${file} has the endpoint ${name} already. Nothing was written: choose another name, or remove that file.`,
    EXIT.failed,
  );
}
