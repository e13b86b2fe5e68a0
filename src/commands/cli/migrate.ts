import { Command } from 'commander';

import { EXIT_CODES_HELP } from './exit-codes.js';
import { withProjectOption } from './project-option.js';
import { runCommand } from './run-command.js';
import type { MigrateOptions } from './run-migrate.js';

/** `querygate migrate`: applies the schema to ClickHouse. */
export function migrateCommand(): Command {
  return withProjectOption(new Command('migrate'))
    .description('Applies the schema’s migrations to ClickHouse; skips those applied before.')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
CLICKHOUSE_URL (of several servers, the first that responds), CLICKHOUSE_USER and CLICKHOUSE_PASSWORD name the server and a
user that may change its schema. Without CLICKHOUSE_URL it is the gateway’s embedded server in DATA_DIR. With
CLICKHOUSE_CLUSTER every server of that cluster gets the schema.

Examples:
  CLICKHOUSE_URL=http://clickhouse:8123 CLICKHOUSE_USER=admin CLICKHOUSE_PASSWORD=secret querygate migrate
  querygate migrate --json
${EXIT_CODES_HELP}`,
    )
    .action((options: MigrateOptions) =>
      runCommand(async (signal) => {
        const { runMigrate } = await import('./run-migrate.js');
        await runMigrate(options, signal);
      }),
    );
}
