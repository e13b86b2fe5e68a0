import { Command } from 'commander';

import { readVersion } from '../../package-files.js';
import { callCommand } from './call.js';
import { checkCommand } from './check.js';
import { devCommand } from './dev.js';
import { endpointsCommand } from './endpoints.js';
import { grantsCommand } from './grants.js';
import { initCommand } from './init.js';
import { keysCommand } from './keys.js';
import { loadCommand } from './load.js';
import { mcpCommand } from './mcp.js';
import { migrateCommand } from './migrate.js';
import { newCommand } from './new.js';
import { openApiCommand } from './openapi.js';
import { applyProject } from './project-option.js';
import { serveCommand } from './serve.js';

/** Creates the command line; each subcommand has a file with a function that returns its Command. */
export function createProgram(): Command {
  const program = new Command('querygate')
    .description('A gateway that serves saved ClickHouse queries, and its tools.')
    .version(readVersion(), '-V, --version', 'print the version')
    .addHelpText('after', HELP);
  const subcommands = [
    initCommand(),
    newCommand(),
    devCommand(),
    serveCommand(),
    callCommand(),
    checkCommand(),
    endpointsCommand(),
    grantsCommand(),
    keysCommand(),
    migrateCommand(),
    loadCommand(),
    openApiCommand(),
    mcpCommand(),
  ];
  for (const subcommand of subcommands) program.addCommand(subcommand);
  applyProject(program);
  return program;
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
except serve (0 or 1) and mcp (0). call also has 3, 4 and 5.`;
