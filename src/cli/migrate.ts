import { withAdminConnection } from '../admin-connection.js';
import { migrate } from '../clickhouse/schema/migrate.js';
import { readMigrations } from '../clickhouse/schema/migration-files.js';
import { readConfig } from '../config/config.js';
import { SCHEMA_FOLDER } from '../project-files.js';
import { runCommand } from './run-command.js';

await runCommand(async () => {
  const config = readConfig(process.env);
  const migrations = await readMigrations(SCHEMA_FOLDER);
  const applied = await withAdminConnection(config, (connection) =>
    migrate({
      connection,
      migrations,
      onApplied: (name, ms) => process.stdout.write(`applied ${name} in ${Math.round(ms)} ms\n`),
    }),
  );
  const rest = migrations.length - applied.length;
  process.stdout.write(`${applied.length} applied now, ${rest} applied before\n`);
});
