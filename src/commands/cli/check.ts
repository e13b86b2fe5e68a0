import { Command } from 'commander';

import type { CheckOptions } from './run-check.js';
import { withProjectOption } from './project-option.js';
import { runCommand } from './run-command.js';

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
    .option('--no-write', 'do not write columns into .sql files that have none: report them as a fault')
    .addHelpText('after', HELP)
    .action((names: readonly string[], options: CheckOptions) =>
      runCommand(async (signal) => {
        const { runCheck } = await import('./run-check.js');
        await runCheck(names, options, signal);
      }),
    );
}

const HELP = `
CLICKHOUSE_URL (of several servers, the first that responds), CLICKHOUSE_USER and CLICKHOUSE_PASSWORD name the server; a
read-only user is enough. Without CLICKHOUSE_URL the data is that of the project's data folder (.data), through the gateway
that serves it, if one runs; without such a folder, and with --demo, it is that of a temporary server with demonstration data.

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
