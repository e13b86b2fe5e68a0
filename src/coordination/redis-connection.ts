import { Cluster, Redis, type Command, type RedisOptions } from 'ioredis';

/** A Redis, a Sentinel's master or a Cluster: the same commands. */
export type RedisClient = Redis | Cluster;

const CONNECT_TIMEOUT_MS = 1000;
/** A cache that replies later than this is slower than what it saves. */
const COMMAND_TIMEOUT_MS = 250;
/** A connection that is silent for so long while it owes an answer is dead (its other end has gone without a word). */
const SOCKET_TIMEOUT_MS = 2000;
/**
 * For a connection to end by itself when the gateway closes. ioredis waits for so long even where the connection had
 * gone before, and the process stays up with it.
 */
const DISCONNECT_TIMEOUT_MS = 250;
const REDIS_PORT = 6379;
const SENTINEL_PORT = 26_379;
const MAX_RECONNECT_PAUSE_MS = 1000;

const OPTIONS = {
  connectTimeout: CONNECT_TIMEOUT_MS,
  socketTimeout: SOCKET_TIMEOUT_MS,
  disconnectTimeout: DISCONNECT_TIMEOUT_MS,
  // A command that can't go out now fails now; the caller has another way.
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  retryStrategy: (attempt: number) => Math.min(attempt * 50, MAX_RECONNECT_PAUSE_MS),
} satisfies RedisOptions;

/**
 * Rejects a command whose reply is late. Unlike ioredis's `commandTimeout`, it counts only what Redis takes: where the
 * process was busy, Node runs the timer before it reads the replies that have arrived meanwhile, and each of many equal
 * misses would query ClickHouse for itself. By the next `setImmediate` they are read.
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
 * Connects, in the background, to what a URL names:
 * `redis://` and `rediss://` (TLS) one server, `redis+sentinel://HOST:PORT,…/MASTER` the master that Sentinels name,
 * `redis+cluster://HOST:PORT,…` a Cluster; `rediss+sentinel` and `rediss+cluster` with TLS. User and password stand
 * before the `@`, a database number after the last slash (`?db=` with Sentinels).
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
  if (!match) return new BoundedRedis(url, OPTIONS);
  const [, scheme, kind, userInfo = '', hosts = '', path = '', query = ''] = match;
  const options = { ...OPTIONS, ...credentialsOf(userInfo), ...(scheme === 'rediss' && { tls: {} }) };
  if (kind === 'sentinel') {
    const db = Number(new URLSearchParams(query).get('db') ?? 0);
    return new BoundedRedis({ ...options, sentinels: nodesOf(hosts, SENTINEL_PORT), name: path, db });
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
