import { Command } from 'commander';

import { EXIT_CODES_HELP } from './exit-codes.js';
import { withProjectOption } from './project-option.js';
import { runCommand } from './run-command.js';
import type { NewOptions } from './run-new.js';

/** `querygate new`: writes an endpoint file to begin with. */
export function newCommand(): Command {
  return withProjectOption(new Command('new'))
    .description('Writes an endpoint file that runs as it is, with an id of its own.')
    .argument('<name>', 'name of the endpoint, such as orders.by-day')
    .option('--sql', 'write it in SQL (the default)')
    .option('--ts', 'write it in TypeScript, for a query that changes its shape')
    .option('--table <table>', 'write it in SQL over a table of the database')
    .addHelpText(
      'after',
      `
Writes endpoints/NAME.sql or endpoints/NAME.ts, and prints its path. Nothing is overwritten.

With --table the endpoint returns the table's rows, newest first, with parameters for its time and sorting key. The
columns come from CLICKHOUSE_URL; without it, from the embedded server that runs in DATA_DIR, or the schema files.

Examples:
  querygate new orders.by-day
  querygate new orders --table orders
  querygate new orders.by-day --ts --project shop
${EXIT_CODES_HELP}`,
    )
    .action((name: string, options: NewOptions) =>
      runCommand(async (signal) => {
        const { runNew } = await import('./run-new.js');
        await runNew(name, options, signal);
      }),
    );
}
