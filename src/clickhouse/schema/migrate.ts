import type { ClickHouseClient } from '@clickhouse/client';

import { connectClickHouse, type ClickHouseConnection } from '../connection.js';
import type { Migration } from './migration-files.js';
import { withMigrationLock, type CheckLock } from './migration-lock.js';
import { readStep, runStep } from './migration-steps.js';

export interface MigrateOptions {
  /** Its user may create the database and tables in it. */
  readonly connection: ClickHouseConnection;
  readonly migrations: readonly Migration[];
  readonly onApplied?: (name: string, milliseconds: number) => void;
}

interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
}

/**
 * Applies the migrations that the database does not record yet, in order, and records each. Run from two places at
 * once, one waits for the other.
 *
 * @returns names of those that were applied now.
 * @throws Error where a file was changed after it was applied, or a recorded file is gone.
 */
export async function migrate(options: MigrateOptions): Promise<readonly string[]> {
  await createDatabase(options.connection);
  const client = connectClickHouse(options.connection, CONNECT_OPTIONS);
  try {
    return await migrateWith(client, options);
  } finally {
    await client.close();
  }
}

/** A migration may fill tables from existing rows, which takes what it takes. */
const CONNECT_OPTIONS = { maxOpenConnections: 4, requestTimeoutMs: 3_600_000 };
const TABLE = 'schema_migrations';

async function createDatabase(connection: ClickHouseConnection): Promise<void> {
  // A connection to a database that is not there yet is refused.
  const client = connectClickHouse({ ...connection, database: 'default' }, CONNECT_OPTIONS);
  try {
    await client.command({
      query: 'CREATE DATABASE IF NOT EXISTS {database:Identifier}',
      query_params: { database: connection.database },
    });
  } finally {
    await client.close();
  }
}

async function migrateWith(client: ClickHouseClient, options: MigrateOptions): Promise<readonly string[]> {
  const { connection, migrations } = options;
  await client.command({ query: CREATE_TABLE });
  if (pending(migrations, await readApplied(client)).length === 0) return [];
  return withMigrationLock(client, connection.database, async (checkLock) => {
    const names: string[] = [];
    for (const migration of pending(migrations, await readApplied(client))) {
      await apply(client, options, migration, checkLock);
      names.push(migration.name);
    }
    return names;
  });
}

async function apply(
  client: ClickHouseClient,
  { connection, onApplied }: MigrateOptions,
  migration: Migration,
  checkLock: CheckLock,
): Promise<void> {
  const started = performance.now();
  for (const statement of migration.statements) {
    await checkLock();
    await runStep(client, connection.database, readStep(statement), checkLock);
  }
  const { name, checksum } = migration;
  await client.insert({ table: TABLE, values: [{ name, checksum }], format: 'JSONEachRow' });
  onApplied?.(name, performance.now() - started);
}

function pending(
  migrations: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  const checksums = new Map(applied.map(({ name, checksum }) => [name, checksum]));
  for (const { name, checksum } of migrations) {
    if (checksums.has(name) && checksums.get(name) !== checksum) {
      throw new Error(
        `${name}.sql was changed after it was applied. Put it back as it was, and add the change as a new file.`,
      );
    }
  }
  const known = new Set(migrations.map(({ name }) => name));
  const lost = applied.find(({ name }) => !known.has(name));
  if (lost) {
    throw new Error(
      `${lost.name}.sql is recorded in the database but not among the files: is this an older release?`,
    );
  }
  return migrations.filter(({ name }) => !checksums.has(name));
}

async function readApplied(client: ClickHouseClient): Promise<readonly AppliedMigration[]> {
  const query = `SELECT name, any(checksum) AS checksum FROM ${TABLE} GROUP BY name`;
  return (await client.query({ query, format: 'JSONEachRow' })).json<AppliedMigration>();
}

const CREATE_TABLE = `
  CREATE TABLE IF NOT EXISTS ${TABLE}
  (
      name String COMMENT 'File of clickhouse-schema/, without its ending',
      checksum String COMMENT 'SHA-256 (hex) of the file as it was applied',
      applied_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')
  )
  ENGINE = MergeTree
  ORDER BY name
  COMMENT 'Which files of clickhouse-schema/ this database has'`;
