import { Command, Option } from 'commander';

import { SOURCE_FORMATS } from '../loading/source-format.js';
import { withProjectOption } from './project-option.js';
import { runCommand } from './run-command.js';
import type { LoadFlags } from './run-load.js';

/** `querygate load`: loads a file into a table. */
export function loadCommand(): Command {
  return withProjectOption(new Command('load'))
    .description(
      'Loads JSON objects or CSV (plain or gzip) into a table. Rejected lines are reported by number; the rest is loaded.',
    )
    .argument('<table>', 'a table of the database')
    .argument('<file>', 'a file’s path, or - for standard input')
    .addOption(
      new Option(
        '--format <format>',
        'format of the file (default: csv or tsv by its name, else ndjson)',
      ).choices(SOURCE_FORMATS),
    )
    .option('--create', 'create the table first: columns inferred from the file, in a new schema file')
    .option('--shift-to-now', 'move the column timestamp of all lines so that the newest is now')
    .option(
      '--strict',
      'reject lines with a field that the table does not store; without it, they are counted',
    )
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
CLICKHOUSE_URL (of several servers, the first that responds), CLICKHOUSE_USER and CLICKHOUSE_PASSWORD name the server and a
user that may insert. Without CLICKHOUSE_URL it is the gateway’s embedded server in DATA_DIR, running or not;
run querygate migrate first if no gateway has used that folder.

Of CSV, the first line names the columns. An empty field is an omitted one, which gets the column's default or null. A
rejected record is reported by the line where it begins.

--create writes clickhouse-schema/NNNN_TABLE.sql, and applies the schema as querygate migrate does.

Examples:
  querygate load orders orders.ndjson.gz
  querygate load visits visits.csv --create
  querygate load orders orders.ndjson --strict
  zcat visits.ndjson.gz | querygate load visits - --shift-to-now

Exit codes: 0 all lines were loaded; 1 a line was rejected, or loading failed; 2 invalid usage; 130 or 143 ended by
a signal.`,
    )
    .action((table: string, file: string, options: LoadFlags) =>
      runCommand(async (signal) => {
        const { runLoad } = await import('./run-load.js');
        await runLoad(table, file, options, signal);
      }),
    );
}
