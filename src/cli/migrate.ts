import { Command } from 'commander';

import { withAdminConnection } from '../admin-connection.js';
import { migrate } from '../clickhouse/schema/migrate.js';
import { readMigrations } from '../clickhouse/schema/migration-files.js';
import { readConfig } from '../config/config.js';
import { SCHEMA_FOLDER } from '../project-files.js';
import { EXIT_CODES_HELP } from './exit-codes.js';
import { interruptible, runCommand, runWhenMain } from './run-command.js';

interface Options {
  readonly json?: boolean;
}

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
    .action((options: Options) => runCommand((signal) => applySchema(options, signal)));
}

async function applySchema({ json = false }: Options, signal: AbortSignal): Promise<void> {
  const config = readConfig(process.env);
  const { clickhouse } = config;
  const cluster = clickhouse.kind === 'external' ? clickhouse.cluster : undefined;
  const dataDir = clickhouse.kind === 'embedded' ? config.dataDir : undefined;
  const migrations = await readMigrations(SCHEMA_FOLDER);
  const onApplied = (name: string, ms: number): void => {
    if (!json) process.stdout.write(`applied ${name} in ${Math.round(ms)} ms\n`);
  };
  const applied = await withAdminConnection(config, (connection) =>
    interruptible(signal, () => migrate({ connection, migrations, cluster, dataDir, onApplied })),
  );
  const before = migrations.length - applied.length;
  process.stdout.write(
    json
      ? `${JSON.stringify({ applied, before })}\n`
      : `${applied.length} applied now, ${before} applied before\n`,
  );
}

await runWhenMain(import.meta.url, migrateCommand);
