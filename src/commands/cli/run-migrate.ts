import { withServer } from '../clickhouse/with-server.js';
import { migrate } from '../schema/migrate.js';
import { readSchema } from '../../gateway/schema/migration-files.js';
import { readConfig } from '../../gateway/config/config.js';

/** The options of `querygate migrate`, as commander parses them. */
export interface MigrateOptions {
  readonly json?: boolean;
}

/** Applies the migrations that the database does not have yet and prints their names. */
export async function runMigrate({ json = false }: MigrateOptions, signal: AbortSignal): Promise<void> {
  const config = readConfig(process.env);
  const { clickhouse } = config;
  const cluster = clickhouse.kind === 'external' ? clickhouse.cluster : undefined;
  const dataDir = clickhouse.kind === 'embedded' ? config.dataDir : undefined;
  const schema = await readSchema(config.project.schemaFolder);
  const onApplied = (name: string, ms: number): void => {
    if (!json) process.stdout.write(`applied ${name} in ${Math.round(ms)} ms\n`);
  };
  const applied = await withServer(config, { sources: ['external', 'own'], signal }, ({ admin }) =>
    migrate({ connection: admin, schema, cluster, dataDir, onApplied }),
  );
  const before = schema.migrations.length - applied.length;
  process.stdout.write(
    json
      ? `${JSON.stringify({ applied, before })}\n`
      : `${applied.length} applied now, ${before} applied before\n`,
  );
}
