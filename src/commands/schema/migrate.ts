import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';

import type { ClickHouseConnection } from '../../gateway/clickhouse/connection.js';
import { selectRows } from '../../gateway/clickhouse/select-rows.js';
import { checkCluster, onCluster, type Cluster } from '../../gateway/schema/cluster-names.js';
import { withClient } from '../clickhouse/with-client.js';
import { clusterRecordTable, clusterStatements } from './cluster-statements.js';
import { isGatewayFile, RECORD_TABLE, type Migration } from '../../gateway/schema/migration-files.js';
import { AppliedFilesDiffer, SchemaFileError } from '../../gateway/schema/schema-file-error.js';
import { withMigrationLock, type CheckLock } from './migration-lock.js';

export interface MigrateOptions {
  /** Connection of a user with the right to create the database and its tables. */
  readonly connection: ClickHouseConnection;
  readonly schema: readonly Migration[];
  /** The cluster, of `remote_servers`, to migrate; absent for a single server. */
  readonly cluster?: string | undefined;
  readonly onApplied?: (name: string, milliseconds: number) => void;
}

interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
}

/**
 * Applies, in order, the migrations that the database does not record yet, and records each. Concurrent runs wait for
 * each other.
 *
 * @returns names of the migrations that were applied now.
 * @throws AppliedFilesDiffer, before any change, when an applied file was changed or is missing.
 */
export async function migrate(options: MigrateOptions): Promise<readonly string[]> {
  const { connection, cluster: name } = options;
  const { database } = connection;
  const cluster = name === undefined ? undefined : { name, database };
  if (cluster) checkCluster(cluster);
  await createDatabase(connection, cluster);
  return withClient(connection, REQUEST_TIMEOUT_MS, (client) => migrateWith(client, options, cluster));
}

/** A migration may change existing rows, which can take long. */
const REQUEST_TIMEOUT_MS = 3_600_000;
/**
 * Settings for the record on a cluster: a quorum of servers has a write before it succeeds, and a read sees the last
 * write, from whichever server the next migration runs.
 */
const RECORD_WRITING: ClickHouseSettings = { insert_quorum: 'auto', insert_quorum_parallel: 0 };
const RECORD_READING: ClickHouseSettings = { select_sequential_consistency: '1' };

/** The files translated for a cluster, with the same checksums. */
function forCluster(migrations: readonly Migration[], cluster: Cluster): readonly Migration[] {
  const translate = (statement: string): readonly string[] => clusterStatements(statement, cluster);
  return migrations.map((file) => ({ ...file, statements: file.statements.flatMap(translate) }));
}

/** Creates the database on every server where it is missing. */
async function createDatabase(connection: ClickHouseConnection, cluster: Cluster | undefined): Promise<void> {
  const { database } = connection;
  // ClickHouse rejects a connection to a database that does not exist yet.
  await withClient({ ...connection, database: 'default' }, REQUEST_TIMEOUT_MS, async (client) => {
    await client.command({
      query: `CREATE DATABASE IF NOT EXISTS {database:Identifier} ${cluster ? onCluster(cluster) : ''}`,
      query_params: { database },
    });
  });
}

async function migrateWith(
  client: ClickHouseClient,
  options: MigrateOptions,
  cluster: Cluster | undefined,
): Promise<readonly string[]> {
  const { connection, schema } = options;
  const migrations = cluster ? forCluster(schema, cluster) : schema;
  await client.command({ query: cluster ? clusterRecordTable(CREATE_TABLE, cluster) : CREATE_TABLE });
  if (pending(migrations, await readApplied(client, cluster)).length === 0) return [];
  return withMigrationLock(client, { database: connection.database, cluster }, async (checkLock) => {
    const names: string[] = [];
    for (const migration of pending(migrations, await readApplied(client, cluster))) {
      await apply(client, options, migration, checkLock);
      names.push(migration.name);
    }
    return names;
  });
}

async function apply(
  client: ClickHouseClient,
  { cluster, onApplied }: MigrateOptions,
  migration: Migration,
  checkLock: CheckLock,
): Promise<void> {
  const { name, checksum, statements } = migration;
  const started = performance.now();
  for (const [index, query] of statements.entries()) {
    await checkLock();
    await client.command({ query }).catch((cause: unknown) => {
      throw new SchemaFileError(
        `${name}: ${(cause as Error).message.trim()}${whatIsDone(index, statements)}`,
        {
          cause,
        },
      );
    });
  }
  await client.insert({
    table: RECORD_TABLE,
    values: [{ name, checksum }],
    format: 'JSONEachRow',
    ...(cluster !== undefined && { clickhouse_settings: RECORD_WRITING }),
  });
  onApplied?.(name, performance.now() - started);
}

/** What a person needs to know when a later statement of a file fails. */
function whatIsDone(failed: number, statements: readonly string[]): string {
  if (statements.length === 1) return '';
  const before = failed === 0 ? 'No statement was applied' : `The ${failed} before it were applied`;
  return `\n  This is statement ${failed + 1} of ${statements.length}. ${before}: all run again with the corrected file, so write IF NOT EXISTS.`;
}

function pending(
  migrations: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  const checksums = new Map(applied.map(({ name, checksum }) => [name, checksum]));
  rejectMissing(migrations, applied);
  return migrations.filter((migration) => {
    const { name, checksum } = migration;
    const recorded = recordedChecksum(migration, checksums);
    if (recorded !== undefined && recorded !== checksum) {
      throw new AppliedFilesDiffer(
        `${name} was changed after it was applied. Restore the file, and add the change as a new file.`,
      );
    }
    return recorded === undefined;
  });
}

/**
 * The checksum that the database records for a file. Version 0.1 recorded names without paths. Such a record with another checksum
 * belongs to a file of the project, and not to the gateway's own file.
 */
function recordedChecksum(
  { name, earlierName = name, checksum }: Migration,
  checksums: ReadonlyMap<string, string>,
): string | undefined {
  const earlier = checksums.get(earlierName);
  return checksums.get(name) ?? (isGatewayFile(name) && earlier !== checksum ? undefined : earlier);
}

/** @throws Error when the database records files that are not there: a later version applied them, or another project. */
function rejectMissing(migrations: readonly Migration[], applied: readonly AppliedMigration[]): void {
  const known = new Set(migrations.flatMap(({ name, earlierName = name }) => [name, earlierName]));
  const missing = applied.map(({ name }) => name).filter((name) => !known.has(name));
  if (missing.length === 0) return;
  const problems = [
    { names: missing.filter(isGatewayFile), advice: LATER_GATEWAY },
    { names: missing.filter((name) => !isGatewayFile(name)), advice: OTHER_PROJECT },
  ].filter(({ names }) => names.length > 0);
  throw new AppliedFilesDiffer(
    problems.map(({ names, advice }) => `${names.sort().join(', ')} ${advice}`).join('\n'),
  );
}

const LATER_GATEWAY =
  'is recorded in the database but missing from this version of the gateway: a later version migrated the database. ' +
  'Use that version or a later one.';
const OTHER_PROJECT =
  'is recorded in the database but missing from the files of the project. Use the latest version of the project or, ' +
  'if the database belongs to another project, set CLICKHOUSE_DATABASE to another name.';

function readApplied(
  client: ClickHouseClient,
  cluster: Cluster | undefined,
): Promise<readonly AppliedMigration[]> {
  const query = `SELECT name, any(checksum) AS checksum FROM ${RECORD_TABLE} GROUP BY name`;
  const settings = cluster ? { clickhouse_settings: RECORD_READING } : {};
  return selectRows<AppliedMigration>(client, query, {}, settings);
}

const CREATE_TABLE = `
  CREATE TABLE IF NOT EXISTS ${RECORD_TABLE}
  (
      name String COMMENT 'Path of the file: clickhouse-schema/… of the project, querygate/… of the gateway',
      checksum String COMMENT 'SHA-256 (hex) of the file as it was applied',
      applied_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')
  )
  ENGINE = MergeTree
  ORDER BY name
  COMMENT 'Which schema files this database has'`;
