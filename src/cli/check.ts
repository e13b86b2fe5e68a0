import { Command } from 'commander';

import type { CheckOptions } from './run-check.js';
import { runCommand } from './run-command.js';

/** `querygate check`: the endpoints' definitions against a real ClickHouse. */
export function checkCommand(): Command {
  return new Command('check')
    .description(
      'Runs every endpoint’s example on a real ClickHouse, and compares its columns with DESCRIBE.',
    )
    .argument('[endpoint...]', 'names or ids; absent: all')
    .option('--folder <path>', 'a folder of other endpoint files, compiled to JavaScript')
    .option('--json', 'the result as JSON')
    .addHelpText('after', HELP)
    .action((names: readonly string[], options: CheckOptions) =>
      runCommand(async (signal) => {
        const { runCheck } = await import('./run-check.js');
        await runCheck(names, options, signal);
      }),
    );
}

const HELP = `
The server is the one of CLICKHOUSE_URL (of several the first that answers), CLICKHOUSE_USER and CLICKHOUSE_PASSWORD, which
a user that may only read is enough for. Without CLICKHOUSE_URL it is one with demonstration data, made for the check and removed after it.

Shown are rows and time, what ClickHouse read, and what EXPLAIN ESTIMATE says it will read of each table. An example that
fails and columns that differ are faults; no rows and a full scan (nearly all marks of a table that is not tiny) are warnings.

Examples:
  querygate check
  querygate check logs.all usage.api-counts --json
  CLICKHOUSE_URL=http://clickhouse:8123 CLICKHOUSE_USER=querygate CLICKHOUSE_PASSWORD=secret querygate check

Exit codes: 0 no fault (there may be warnings); 1 a fault, or no ClickHouse; 2 wrong usage; 130 or 143 ended by a signal.`;
