import { Cluster, Redis, type Command, type RedisOptions } from 'ioredis';

/** A client of one Redis server, of a master that Sentinels name, or of a Cluster. All have the same commands. */
export type RedisClient = Redis | Cluster;

const CONNECT_TIMEOUT_MS = 1000;
/** Maximum time for a reply. A later reply costs more time than a cache hit saves. */
export const COMMAND_TIMEOUT_MS = 250;
/** Time without a reply after which a connection counts as dead, because its other end disappeared without closing it. */
const SOCKET_TIMEOUT_MS = 2000;
/** Time for which ioredis waits for a connection to end, even a lost one. The process cannot stop earlier. */
const DISCONNECT_TIMEOUT_MS = 250;
const REDIS_PORT = 6379;
const SENTINEL_PORT = 26_379;
const MAX_RECONNECT_PAUSE_MS = 1000;
/** Minimum time between two connections to an address that leads to a replica, in milliseconds. */
const REPLICA_PAUSE_MS = 5000;

const OPTIONS = {
  connectTimeout: CONNECT_TIMEOUT_MS,
  socketTimeout: SOCKET_TIMEOUT_MS,
  disconnectTimeout: DISCONNECT_TIMEOUT_MS,
  // A command that cannot be sent fails at once, because the caller has a fallback.
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  retryStrategy: (attempt: number) => Math.min(attempt * 50, MAX_RECONNECT_PAUSE_MS),
} satisfies RedisOptions;

/**
 * Rejects a command whose reply is late. Unlike ioredis's `commandTimeout`, this function does not count time for which this process was
 * busy: Node runs due timers before it reads replies that have arrived. It has read them by the next `setImmediate`. So many identical
 * misses at once do not each query ClickHouse.
 */
function rejectWhenLate(command: Command): void {
  let rejection: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    rejection = setImmediate(() => {
      command.reject(new Error('Redis did not reply in time'));
    });
  }, COMMAND_TIMEOUT_MS);
  const settled = (): void => {
    clearTimeout(timer);
    clearImmediate(rejection);
  };
  void (command.promise as Promise<unknown>).then(settled, settled);
}

class BoundedRedis extends Redis {
  override sendCommand(...args: Parameters<Redis['sendCommand']>): unknown {
    rejectWhenLate(args[0]);
    return super.sendCommand(...args);
  }
}

class BoundedCluster extends Cluster {
  override sendCommand(...args: Parameters<Cluster['sendCommand']>): unknown {
    rejectWhenLate(args[0]);
    return super.sendCommand(...args);
  }
}

/**
 * Creates the check whether an error requires a new connection. A master that becomes a replica keeps its connections and rejects all
 * writes on them, while its address leads to the new master.
 */
function reconnectFromReplica(): (error: Error) => boolean {
  let triedAt = -Infinity;
  return ({ message }) => {
    const now = performance.now();
    // Up to version 6.2, Redis writes an error of a script behind a text of its own.
    if (!/(?:^|-)READONLY /.test(message) || now - triedAt < REPLICA_PAUSE_MS) return false;
    triedAt = now;
    return true;
  };
}

/**
 * Connects in the background. The URL is `redis://` for one server, `redis+sentinel://HOST:PORT,…/MASTER` for the master that Sentinels
 * name, or `redis+cluster://HOST:PORT,…` for a Cluster. `rediss` instead of `redis` uses TLS. User and password precede the `@`. A database
 * number follows the last slash (`?db=` with Sentinels).
 */
export function connectRedis(url: string, onError: (error: Error) => void): RedisClient {
  const client = clientOf(url);
  client.on('error', onError);
  return client;
}

function clientOf(url: string): RedisClient {
  const match = /^(rediss?)\+(sentinel|cluster):\/\/(?:([^@/]*)@)?([^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/.exec(
    url,
  );
  // A Cluster itself reports the new address of a master.
  const reconnectOnError = reconnectFromReplica();
  if (!match) return new BoundedRedis(url, { reconnectOnError, ...OPTIONS });
  const [, scheme, kind, userInfo = '', hosts = '', path = '', query = ''] = match;
  const options = { ...OPTIONS, ...credentialsOf(userInfo), ...(scheme === 'rediss' && { tls: {} }) };
  if (kind === 'sentinel') {
    const db = Number(new URLSearchParams(query).get('db') ?? 0);
    const sentinels = nodesOf(hosts, SENTINEL_PORT);
    return new BoundedRedis({ ...options, reconnectOnError, sentinels, name: path, db });
  }
  return new BoundedCluster(nodesOf(hosts, REDIS_PORT), {
    redisOptions: options,
    enableOfflineQueue: false,
    clusterRetryStrategy: OPTIONS.retryStrategy,
  });
}

function credentialsOf(userInfo: string): Pick<RedisOptions, 'username' | 'password'> {
  const [username = '', password = ''] = userInfo.split(':').map(decodeURIComponent);
  return { ...(username !== '' && { username }), ...(password !== '' && { password }) };
}

function nodesOf(hosts: string, defaultPort: number): { host: string; port: number }[] {
  return hosts.split(',').map((text) => {
    const { hostname, port } = new URL(`redis://${text}`);
    return { host: hostname, port: port === '' ? defaultPort : Number(port) };
  });
}
