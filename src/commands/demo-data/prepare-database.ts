import type { ClickHouseConnection } from '../../gateway/clickhouse/connection.js';
import { withClient } from '../clickhouse/with-client.js';
import { migrate, type MigrateOptions } from '../schema/migrate.js';
import { readSchema } from '../../gateway/schema/migration-files.js';
import { fillDemoData } from './fill-demo-data.js';

export interface PrepareOptions extends Pick<MigrateOptions, 'onApplied'> {
  /** Folder of the schema files. */
  readonly schemaFolder: string;
  /** Demonstration data for empty tables: its SQL files, and its end; absent: none. */
  readonly demo?: { readonly folder: string; readonly upTo: Date } | undefined;
  readonly onFilled?: (milliseconds: number) => void;
}

/** Applies the schema to a database on one server and, if requested, fills empty tables with demonstration data. */
export async function prepareDatabase(
  connection: ClickHouseConnection,
  { schemaFolder, demo, onApplied, onFilled }: PrepareOptions,
): Promise<void> {
  const schema = await readSchema(schemaFolder);
  await migrate({ connection, schema, ...(onApplied && { onApplied }) });
  if (!demo) return;
  await withClient(connection, 120_000, async (client) => {
    const started = performance.now();
    if (await fillDemoData(client, demo.folder, demo.upTo)) onFilled?.(performance.now() - started);
  });
}
