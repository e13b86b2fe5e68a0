import { ClickHouseError, type ClickHouseClient } from '@clickhouse/client';
import { setTimeout as delay } from 'node:timers/promises';

import { onCluster, type Cluster } from './cluster-names.js';

const LOCK = 'schema_migrations_lock';
const HEARTBEAT_SECONDS = 5;
/** A holder that has not touched its lock for so long is dead. */
const STALE_SECONDS = 30;
const POLL_MS = 100;

/** Where the lock is: in a database of one server, or of every server of a cluster. */
export interface LockLocation {
  readonly database: string;
  readonly cluster?: Cluster | undefined;
}

interface LockState {
  readonly uuid: string;
  readonly idle_seconds: number;
}

/** @throws Error where the lock was taken over meanwhile: its holder stood still for too long. */
export type CheckLock = () => Promise<void>;

/**
 * Runs a task while holding the database's migration lock, waiting for it first.
 *
 * ClickHouse has no locks, but creating a table that exists fails, atomically: the lock is such a table. Its holder
 * touches it every few seconds; one that stopped doing so is set aside by renaming it to a name made from its own
 * UUID, which only the first of several takers can do.
 *
 * On a cluster all of that is `ON CLUSTER`. The servers run such statements in the one order that the coordination
 * service gives them, so that of several takers the same one comes first everywhere.
 */
export async function withMigrationLock<T>(
  client: ClickHouseClient,
  place: LockLocation,
  task: (checkLock: CheckLock) => Promise<T>,
): Promise<T> {
  while (!(await tryLock(client, place))) {
    await breakStaleLock(client, place);
    await delay(POLL_MS);
  }
  const own = await uuidOfLock(client, place.database);
  const checkLock: CheckLock = async () => {
    if (own !== undefined && (await uuidOfLock(client, place.database)) === own) return;
    throw new Error(
      `the migration lock of ${place.database} was taken over, because this process did not touch it for ${STALE_SECONDS} s; ` +
        'start it again once the other migration is over',
    );
  };
  const heartbeat = setInterval(() => {
    // A missed beat is made up for by the next; if none gets through, the task's own statements fail as well.
    touch(client, place).catch(() => undefined);
  }, HEARTBEAT_SECONDS * 1000);
  try {
    return await task(checkLock);
  } finally {
    clearInterval(heartbeat);
    await unlock(client, place, own);
  }
}

async function uuidOfLock(client: ClickHouseClient, database: string): Promise<string | undefined> {
  const result = await client.query({
    query: `SELECT toString(uuid) AS uuid FROM system.tables WHERE database = {database:String} AND name = '${LOCK}'`,
    query_params: { database },
    format: 'JSONEachRow',
  });
  return (await result.json<Pick<LockState, 'uuid'>>())[0]?.uuid;
}

const clauseOf = ({ cluster }: LockLocation): string => (cluster ? onCluster(cluster) : '');

async function tryLock(client: ClickHouseClient, place: LockLocation): Promise<boolean> {
  try {
    await client.command({
      query: `CREATE TABLE {database:Identifier}.${LOCK} ${clauseOf(place)} (at DateTime) ENGINE = Memory`,
      query_params: { database: place.database },
    });
    return true;
  } catch (error) {
    if (error instanceof ClickHouseError && error.type === 'TABLE_ALREADY_EXISTS') return false;
    throw error;
  }
}

async function touch(client: ClickHouseClient, place: LockLocation): Promise<void> {
  await client.command({
    query: `ALTER TABLE {database:Identifier}.${LOCK} ${clauseOf(place)} MODIFY COMMENT 'held'`,
    query_params: { database: place.database },
  });
}

/** Drops the lock, and those that were set aside; not the lock of somebody who has taken over. */
async function unlock(client: ClickHouseClient, place: LockLocation, own: string | undefined): Promise<void> {
  const stale = await client.query({
    query: `
      SELECT name FROM system.tables
      WHERE database = {database:String} AND startsWith(name, '${LOCK}')
        AND (name != '${LOCK}' OR toString(uuid) = {own:String})`,
    query_params: { database: place.database, own: own ?? '' },
    format: 'JSONEachRow',
  });
  for (const { name } of await stale.json<{ name: string }>()) {
    await client.command({
      query: `DROP TABLE IF EXISTS {database:Identifier}.{name:Identifier} ${clauseOf(place)} SYNC`,
      query_params: { database: place.database, name },
    });
  }
}

async function breakStaleLock(client: ClickHouseClient, place: LockLocation): Promise<void> {
  const result = await client.query({
    query: `
      SELECT toString(uuid) AS uuid, dateDiff('second', metadata_modification_time, now()) AS idle_seconds
      FROM system.tables WHERE database = {database:String} AND name = '${LOCK}'`,
    query_params: { database: place.database },
    format: 'JSONEachRow',
  });
  const [lock] = await result.json<LockState>();
  if (!lock || lock.idle_seconds < STALE_SECONDS) return;
  await client
    .command({
      query: `RENAME TABLE {database:Identifier}.${LOCK} TO {database:Identifier}.{aside:Identifier} ${clauseOf(place)}`,
      query_params: { database: place.database, aside: `${LOCK}_${lock.uuid.replaceAll('-', '')}` },
    })
    .catch((error: unknown) => {
      // Another taker was first: back to waiting.
      if (!(error instanceof ClickHouseError)) throw error;
    });
}
