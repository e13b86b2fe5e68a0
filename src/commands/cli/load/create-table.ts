import type { ClickHouseClient } from '@clickhouse/client';
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';

import type { ClickHouseConnection } from '../../../gateway/clickhouse/connection.js';
import { selectRows } from '../../../gateway/clickhouse/select-rows.js';
import { inferColumns, type InferredColumn, type Sample } from '../../loading/infer-columns.js';
import { isValue } from '../../loading/csv-row.js';
import type { SourceFormat } from '../../loading/source-format.js';
import { migrate } from '../../schema/migrate.js';
import { readSchema } from '../../../gateway/schema/migration-files.js';
import { SchemaFileError } from '../../../gateway/schema/schema-file-error.js';
import type { Config } from '../../../gateway/config/config.js';
import { withFileLock } from '../../../files/file-lock.js';
import { replaceFile } from '../../../files/replace-file.js';
import { CommandError, EXIT, usageError } from '../exit-codes.js';
import { tableFile } from './table-file.js';

/** A table that is created for a file, and where. */
export interface TableCreation {
  readonly config: Config;
  readonly connection: ClickHouseConnection;
  /** Client of this connection. */
  readonly client: ClickHouseClient;
  readonly table: string;
  /** Path of the file, or `-`. */
  readonly source: string;
  readonly format: SourceFormat;
}

/** @throws CommandError (invalid usage) where `load --create` can create no table of the name. */
export function rejectTableName(name: string): void {
  if (/^(?:gateway_requests|querygate_|schema_migrations)/i.test(name)) {
    throw usageError(`${name} is a name of the gateway’s own tables: choose another name for the table.`);
  }
  if (!/^[a-z_]\w{0,99}$/i.test(name)) {
    throw usageError(
      `With --create, the name of a table must consist of letters, digits and “_”, such as page_views.`,
    );
  }
}

/**
 * Applies the schema files that there are, so that the file of the new table is the only difference.
 *
 * @throws CommandError where the table exists then.
 */
export async function prepareCreation(creation: TableCreation): Promise<void> {
  await applySchema(creation);
  const { client, table } = creation;
  const exists = 'EXISTS TABLE {table:Identifier}';
  const [row] = await selectRows<{ readonly result: number }>(client, exists, { table });
  if (row?.result !== 1) return;
  throw new CommandError(
    `the table ${table} exists. Nothing was loaded: leave --create away to load into it, or choose another name.`,
    EXIT.failed,
  );
}

/**
 * Writes a schema file for the table, and applies it. With `querygate dev` on the same database, either process applies the
 * file, and the other finds it applied.
 *
 * @param sample lines of JSON objects, from which the columns are inferred.
 * @returns path of the file in the project, and hints about numbers that may be money, and names that may be values.
 */
export async function createTable(creation: TableCreation, sample: Sample): Promise<string> {
  const { config, client, table, source, format } = creation;
  const columns = await inferColumns(client, sample, format !== 'ndjson');
  const text = tableFile(table, columns, source === '-' ? 'standard input' : path.basename(source));
  const { schemaFolder } = config.project;
  const name = await writeNextFile(schemaFolder, table, text);
  const shown = path.join(path.basename(schemaFolder), name);
  try {
    await applySchema(creation);
  } catch (error) {
    if (!(error instanceof SchemaFileError)) throw error;
    await rm(path.join(schemaFolder, name), { force: true });
    throw new Error(
      `ClickHouse rejects the inferred table, and ${shown} was removed again: ${error.message}`,
      {
        cause: error,
      },
    );
  }
  return [shown, ...hints(columns, format)].join('; ');
}

function hints(columns: readonly InferredColumn[], format: SourceFormat): string[] {
  const money = columns.find(({ isMoney }) => isMoney);
  const value = format === 'ndjson' ? undefined : columns.find(({ name }) => isValue(name));
  return [
    ...(money
      ? [
          `for money write Decimal(12, 2) as the type of ${money.name} there, start querygate dev --recreate, and load again`,
        ]
      : []),
    ...(value
      ? [
          `\`${value.name}\` of the first line became a name: if it is a value, the file lacks a line of names`,
        ]
      : []),
  ];
}

async function applySchema({ config, connection }: TableCreation): Promise<void> {
  const { clickhouse, dataDir, project } = config;
  const target =
    clickhouse.kind === 'external' ? { cluster: clickhouse.cluster, dataDir: undefined } : { dataDir };
  await migrate({ connection, schema: await readSchema(project.schemaFolder), ...target });
}

/** Two files must not get the same number, and no process may read a part of the file. */
async function writeNextFile(folder: string, table: string, text: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  return withFileLock(path.join(folder, 'next-number'), async () => {
    const numbers = (await readdir(folder)).map((file) => Number(/^(\d{4})_\w+\.sql$/.exec(file)?.[1] ?? 0));
    const name = `${String(Math.max(0, ...numbers) + 1).padStart(4, '0')}_${table}.sql`;
    await replaceFile(path.join(folder, name), text);
    return name;
  });
}
