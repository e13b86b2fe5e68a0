import { Command } from 'commander';

import { EXIT_CODES_HELP } from './exit-codes.js';
import { runCommand, runWhenMain } from './run-command.js';
import type { MigrateOptions } from './run-migrate.js';

/** `querygate migrate`: the schema into ClickHouse. */
export function migrateCommand(): Command {
  return new Command('migrate')
    .description('Applies the schema to ClickHouse; what was applied before is left alone.')
    .option('--json', 'the result as JSON')
    .addHelpText(
      'after',
      `
CLICKHOUSE_URL, CLICKHOUSE_USER and CLICKHOUSE_PASSWORD name the server (of several the first that answers) and a user that
may change it; without CLICKHOUSE_URL it is the gateway’s own server, in DATA_DIR. With CLICKHOUSE_CLUSTER every server of that
cluster gets it.

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

await runWhenMain(import.meta.url, migrateCommand);
