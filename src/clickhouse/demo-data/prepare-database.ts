import { SCHEMA_FOLDER } from '../../project-files.js';
import { connectClickHouse, type ClickHouseConnection } from '../connection.js';
import { migrate, type MigrateOptions } from '../schema/migrate.js';
import { readMigrations } from '../schema/migration-files.js';
import { fillDemoData } from './fill-demo-data.js';

export interface PrepareOptions extends Pick<MigrateOptions, 'onApplied' | 'dataDir'> {
  /** Empty tables get demonstration data up to this time; absent: they stay empty. */
  readonly demoDataUpTo?: Date | undefined;
  readonly onFilled?: (milliseconds: number) => void;
}

/** Applies the schema to a database on one server, and fills empty tables with demonstration data where that is asked for. */
export async function prepareDatabase(
  connection: ClickHouseConnection,
  { demoDataUpTo, dataDir, onApplied, onFilled }: PrepareOptions = {},
): Promise<void> {
  const migrations = await readMigrations(SCHEMA_FOLDER);
  await migrate({ connection, migrations, dataDir, ...(onApplied && { onApplied }) });
  if (!demoDataUpTo) return;
  const client = connectClickHouse(connection, { maxOpenConnections: 4, requestTimeoutMs: 120_000 });
  try {
    const started = performance.now();
    if (await fillDemoData(client, demoDataUpTo)) onFilled?.(performance.now() - started);
  } finally {
    await client.close();
  }
}
