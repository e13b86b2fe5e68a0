import { Command } from 'commander';

import { withPort, withPortOption, type PortOption } from './port-option.js';
import { withProjectOption } from './project-option.js';
import { printError } from './run-command.js';

/** `querygate dev`: serves the project and reloads what changes. */
export function devCommand(): Command {
  return withPortOption(withProjectOption(new Command('dev')))
    .description('Serves the project, and serves changed files at once.')
    .option('--recreate', 'drop the embedded development database at the start, and create it again', false)
    .addHelpText(
      'after',
      `
Without CLICKHOUSE_URL the server is an embedded ClickHouse with the project's schema and demonstration data. New schema
files are applied at once; after a change of an applied file or of demo/, --recreate creates the database
again. With CLICKHOUSE_URL nothing in the database is changed.
An invalid file never replaces a valid one: its mistake is shown here and in the console, and what was served before stays.

Examples:
  querygate dev
  querygate dev --project my-project
  querygate dev --port 9000 --recreate

Exit codes: 0 stopped; 1 can’t start, or a part did not close; 2 invalid usage.`,
    )
    .action(async (options: { readonly recreate: boolean } & PortOption) => {
      // Imported here, so that the help need not load the gateway's modules.
      const { runDev } = await import('../dev/run-dev.js');
      try {
        await runDev(withPort(process.env, options), options.recreate);
      } catch (error) {
        printError(error);
        process.exit(1);
      }
    });
}
