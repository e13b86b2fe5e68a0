import { Command } from 'commander';

import { readVersion } from '../../package-files.js';
import { applyProject } from './project-option.js';
import { removedCommand } from './removed-commands.js';

/** The subcommands in the order of the help. Only the file of the subcommand that runs is loaded. */
const SUBCOMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  init: async () => (await import('./init.js')).initCommand(),
  new: async () => (await import('./new.js')).newCommand(),
  dev: async () => (await import('./dev.js')).devCommand(),
  serve: async () => (await import('./serve.js')).serveCommand(),
  call: async () => (await import('./call.js')).callCommand(),
  check: async () => (await import('./check.js')).checkCommand(),
  test: async () => (await import('./test.js')).testCommand(),
  endpoints: async () => (await import('./endpoints.js')).endpointsCommand(),
  replay: async () => (await import('./replay.js')).replayCommand(),
  grants: async () => (await import('./grants.js')).grantsCommand(),
  keys: async () => (await import('./keys.js')).keysCommand(),
  migrate: async () => (await import('./migrate.js')).migrateCommand(),
  load: async () => (await import('./load.js')).loadCommand(),
  openapi: async () => (await import('./openapi.js')).openApiCommand(),
};

/**
 * Creates the command line.
 *
 * @param args its arguments; it has the subcommand that they name, or all of them where they name none.
 */
export async function createProgram(args: readonly string[] = []): Promise<Command> {
  const removed = removedCommand(args);
  if (removed) return removed;
  const program = new Command('querygate')
    .description('A gateway that serves saved ClickHouse queries, and its tools.')
    .version(readVersion(), '-V, --version', 'print the version')
    .addHelpText('after', HELP);
  for (const create of subcommandsFor(args[0])) program.addCommand(await create());
  applyProject(program);
  return program;
}

/** The subcommand of a name, or all where no name matches; none to print the version. */
function subcommandsFor(name = ''): readonly (() => Promise<Command>)[] {
  if (/^(?:-V|--version)$/.test(name)) return [];
  const named = Object.entries(SUBCOMMANDS).filter(([each]) => each === name);
  return (named.length > 0 ? named : Object.entries(SUBCOMMANDS)).map(([, create]) => create);
}

const HELP = `
Examples:
  querygate init shop
  querygate serve
  querygate call orders.by-day --param shop=north --format csv
  querygate keys add grafana --file keys.yaml
  querygate check --json
  querygate help call

Results go to standard output, everything else to standard error. Only terminals get colours and progress bars; NO_COLOR
disables colours.

Exit codes: 0 done; 1 failed; 2 invalid usage; 130 or 143 ended by SIGINT or SIGTERM,
except serve (0 or 1). call also has 3, 4 and 5.`;
