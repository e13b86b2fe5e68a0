import { ClickHouseError, type ClickHouseClient } from '@clickhouse/client';
import { setTimeout as delay } from 'node:timers/promises';

import { quoteName } from '../../endpoint/quote-sql.js';
import { selectRows } from '../../gateway/clickhouse/select-rows.js';
import { onCluster, type Cluster } from '../../gateway/schema/cluster-names.js';

const LOCK = 'schema_migrations_lock';
const HEARTBEAT_SECONDS = 5;
/** A lock that its owner has not renewed for this long is stale. */
const STALE_SECONDS = 30;
const POLL_MS = 100;

/** The location of a lock: a database on one server, or on every server of a cluster. */
export interface LockLocation {
  readonly database: string;
  readonly cluster?: Cluster | undefined;
}

interface LockState {
  readonly uuid: string;
  readonly idle_seconds: number;
}

/** @throws Error when another process has taken over the lock, because its owner did not renew it in time. */
export type CheckLock = () => Promise<void>;

/**
 * Waits for the database's migration lock, and runs a task while it holds the lock.
 *
 * ClickHouse has no locks, but the lock can be a table, because creating an existing table fails atomically. The owner
 * renews it every few seconds. Another process takes over a stale lock by renaming it to a name with the lock's UUID,
 * which only one process can do.
 *
 * On a cluster all of these statements are `ON CLUSTER`. The servers run them in the order of the coordination service, so that the
 * same process succeeds on every server.
 */
export async function withMigrationLock<T>(
  client: ClickHouseClient,
  location: LockLocation,
  task: (checkLock: CheckLock) => Promise<T>,
): Promise<T> {
  while (!(await tryLock(client, location))) {
    await breakStaleLock(client, location);
    await delay(POLL_MS);
  }
  const own = (await readLock(client, location))?.uuid;
  const checkLock: CheckLock = async () => {
    if (own !== undefined && (await readLock(client, location))?.uuid === own) return;
    throw new Error(
      `another process took over the migration lock of ${location.database}, because this process did not renew it for ${STALE_SECONDS} s; ` +
        'run the migration again once the other one has ended',
    );
  };
  const heartbeat = setInterval(() => {
    // The next renewal makes up for a failed one; if all fail, the task's own statements fail as well.
    client
      .command({ query: `ALTER TABLE ${tableAt(location)} MODIFY COMMENT 'held'` })
      .catch(() => undefined);
  }, HEARTBEAT_SECONDS * 1000);
  try {
    return await task(checkLock);
  } finally {
    clearInterval(heartbeat);
    await unlock(client, location, own);
  }
}

/** A table of the location, and the clause that reaches it on every server. */
const tableAt = ({ database, cluster }: LockLocation, name = LOCK): string =>
  `${quoteName(database)}.${quoteName(name)} ${cluster ? onCluster(cluster) : ''}`;

async function readLock(
  client: ClickHouseClient,
  { database }: LockLocation,
): Promise<LockState | undefined> {
  const query = `
    SELECT toString(uuid) AS uuid, dateDiff('second', metadata_modification_time, now()) AS idle_seconds
    FROM system.tables WHERE database = {database:String} AND name = '${LOCK}'`;
  const [lock] = await selectRows<LockState>(client, query, { database });
  return lock;
}

async function tryLock(client: ClickHouseClient, location: LockLocation): Promise<boolean> {
  try {
    await client.command({ query: `CREATE TABLE ${tableAt(location)} (at DateTime) ENGINE = Memory` });
    return true;
  } catch (error) {
    if (error instanceof ClickHouseError && error.type === 'TABLE_ALREADY_EXISTS') return false;
    throw error;
  }
}

/** Drops the lock if this process still owns it, and renamed stale locks; never the lock of another owner. */
async function unlock(
  client: ClickHouseClient,
  location: LockLocation,
  own: string | undefined,
): Promise<void> {
  const query = `
    SELECT name FROM system.tables
    WHERE database = {database:String} AND startsWith(name, '${LOCK}')
      AND (name != '${LOCK}' OR toString(uuid) = {own:String})`;
  const parameters = { database: location.database, own: own ?? '' };
  for (const { name } of await selectRows<{ name: string }>(client, query, parameters))
    await client.command({ query: `DROP TABLE IF EXISTS ${tableAt(location, name)} SYNC` });
}

async function breakStaleLock(client: ClickHouseClient, location: LockLocation): Promise<void> {
  const lock = await readLock(client, location);
  if (!lock || lock.idle_seconds < STALE_SECONDS) return;
  const stale = tableAt(location, `${LOCK}_${lock.uuid.replaceAll('-', '')}`);
  await client
    .command({ query: `RENAME TABLE ${tableAt({ database: location.database })} TO ${stale}` })
    .catch((error: unknown) => {
      // Another process was first: continue waiting.
      if (!(error instanceof ClickHouseError)) throw error;
    });
}
