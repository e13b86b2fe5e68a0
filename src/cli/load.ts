import { Command } from 'commander';

import { withProjectOption } from './project-option.js';
import { runCommand } from './run-command.js';
import type { LoadOptions } from './run-load.js';

/** `querygate load`: loads NDJSON into a table. */
export function loadCommand(): Command {
  return withProjectOption(new Command('load'))
    .description(
      'Loads NDJSON (plain or gzip) into a table. Rejected lines are reported by number; the rest is loaded.',
    )
    .argument('<table>', 'such as edge_logs')
    .argument('<file>', 'a file’s path, or - for standard input')
    .option('--shift-to-now', 'move all timestamps so that the newest is now')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
CLICKHOUSE_URL (of several servers, the first that responds), CLICKHOUSE_USER and CLICKHOUSE_PASSWORD name the server and a
user that may insert. Without CLICKHOUSE_URL it is the gateway’s embedded server in DATA_DIR, running or not;
run querygate migrate first if no gateway has used that folder.

Examples:
  querygate load edge_logs logs.ndjson.gz
  querygate load edge_logs logs.ndjson --shift-to-now
  zcat logs.ndjson.gz | querygate load edge_logs -

Exit codes: 0 all lines were loaded; 1 a line was rejected, or loading failed; 2 invalid usage; 130 or 143 ended by
a signal.`,
    )
    .action((table: string, file: string, options: LoadOptions) =>
      runCommand(async (signal) => {
        const { runLoad } = await import('./run-load.js');
        await runLoad(table, file, options, signal);
      }),
    );
}
