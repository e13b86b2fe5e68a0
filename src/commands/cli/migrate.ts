import { Command } from 'commander';

import { readConfig } from '../../gateway/config/config.js';
import { readSchema } from '../../gateway/schema/migration-files.js';
import { withServer } from '../clickhouse/with-server.js';
import { migrate } from '../schema/migrate.js';
import { EXIT_CODES_HELP } from './exit-codes.js';
import { withProjectOption } from './project-option.js';
import { runCommand } from './run-command.js';

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
    .action((options: MigrateOptions) => runCommand((signal) => runMigrate(options, signal)));
}

interface MigrateOptions {
  readonly json?: boolean;
}

/** Applies the migrations that the database does not have yet and prints their names. */
async function runMigrate({ json = false }: MigrateOptions, signal: AbortSignal): Promise<void> {
  const config = readConfig(process.env);
  const { clickhouse } = config;
  const cluster = clickhouse.kind === 'external' ? clickhouse.cluster : undefined;
  const schema = await readSchema(config.project.schemaFolder);
  const onApplied = (name: string, ms: number): void => {
    if (!json) process.stdout.write(`applied ${name} in ${Math.round(ms)} ms\n`);
  };
  const applied = await withServer(config, { sources: ['external', 'own'], signal }, ({ admin }) =>
    migrate({ connection: admin, schema, cluster, onApplied }),
  );
  const before = schema.length - applied.length;
  process.stdout.write(
    json
      ? `${JSON.stringify({ applied, before })}\n`
      : `${applied.length} applied now, ${before} applied before\n`,
  );
}
