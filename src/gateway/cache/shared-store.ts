import { Cluster, ReplyError } from 'ioredis';

import type { GuardedRedis } from '../coordination/guarded-redis.js';
import type { RedisClient } from '../coordination/redis-connection.js';
import type { RedisKeys } from '../coordination/redis-keys.js';
import { TAKE_OR_RENEW } from '../coordination/redis-lease.js';
import type { CacheKey } from '../query/cache-key.js';
import { MAX_CLOCK_SKEW_MS } from '../query/clock-skew.js';
import { knownAt, usableFrom, type EndpointResult } from '../query/endpoint-result.js';
import type { Clock } from '../query/ports.js';
import type { ResultLease, ResultStore, PurgeScope } from '../query/result-store.js';
import { decodeResult, encodeResult, MAGIC, PREFIX } from './result-codec.js';

const SCAN_COUNT = 500;

/** Time after the reply to the first command in which the second may replace a result from the future, in milliseconds. */
const REPLACE_WITHIN_MS = 1000;

/**
 * Stores a result unless a newer one exists. The creation time is the fencing token: a late writer that lost its lock or lease never
 * replaces a newer result. A value that is not a result of this key, whatever its type, is replaced.
 *
 * A newer result is also replaced if the writer's clock says that it is from the future. A delayed command would wrongly see every newer
 * result as one from the future. So the first command does not replace such a result, but returns the time of Redis. The writer then sends
 * a second command, which may replace the result until REPLACE_WITHIN_MS after that time.
 *
 * KEYS: the result's key; optionally the key of the writer's lease, which this command ends. ARGV: the bytes; when the key expires; the
 * latest plausible creation and expiry times by the writer's clock; the time of Redis until which a result from the future may be replaced
 * (all milliseconds since 1970); the lease's token. Returns 1 if the result was stored, 0 if a newer one stays, else the time of Redis.
 */
const SET_UNLESS_NEWER = `
  local function digits(value, first, last)
    return tonumber(string.match(string.sub(value, first, last), '^%d+$'))
  end
  local function times(value)
    if type(value) ~= 'string' or string.sub(value, 1, ${MAGIC.length}) ~= '${MAGIC}' then return nil end
    local hash = string.sub(value, ${PREFIX.hashStart + 1}, ${PREFIX.end})
    if hash ~= string.sub(ARGV[1], ${PREFIX.hashStart + 1}, ${PREFIX.end}) then return nil end
    return digits(value, ${PREFIX.createdStart + 1}, ${PREFIX.expiresStart}),
      digits(value, ${PREFIX.expiresStart + 1}, ${PREFIX.hashStart})
  end
  local function done(reply)
    if KEYS[2] and redis.call('get', KEYS[2]) == ARGV[6] then redis.call('del', KEYS[2]) end
    return reply
  end
  local created, expires = times(redis.pcall('getrange', KEYS[1], 0, ${PREFIX.end - 1}))
  if created and expires and created > times(ARGV[1]) then
    if created <= tonumber(ARGV[3]) and expires <= tonumber(ARGV[4]) then return done(0) end
    local time = redis.call('time')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    if now > tonumber(ARGV[5]) then return now end
  end
  redis.call('set', KEYS[1], ARGV[1], 'PXAT', ARGV[2])
  return done(1)`;

/**
 * Reads a result, and asks for a lease unless the result is fresh and newer than a time.
 *
 * KEYS: the lease's, the result's. ARGV: the lease's token and its milliseconds, the time (see `ResultStore.get`), now, and the time for
 * which a result is fresh for the reader, in milliseconds. Returns the stored value, and the owner of the lease if it asked for the lease.
 */
const READ_OR_TAKE = `
  local value = redis.pcall('get', KEYS[2])
  if type(value) ~= 'string' then value = false end
  if value and string.sub(value, 1, ${MAGIC.length}) == '${MAGIC}' then
    local created = tonumber(string.sub(value, ${PREFIX.createdStart + 1}, ${PREFIX.expiresStart})) or 0
    local expires = tonumber(string.sub(value, ${PREFIX.expiresStart + 1}, ${PREFIX.hashStart})) or 0
    local freshUntil = math.min(expires, created + ARGV[5])
    if created > tonumber(ARGV[3]) and freshUntil > tonumber(ARGV[4]) then return {value} end
  end
  local function owner() ${TAKE_OR_RENEW}
  end
  return {value, owner()}`;

/** The shared cache: results in Redis for all gateways that use it. Every key expires. */
export class SharedStore implements ResultStore {
  /** @param maxEntryBytes maximum size of a shared result. Larger results are cached locally only. */
  constructor(
    private readonly redis: GuardedRedis,
    private readonly keys: RedisKeys,
    private readonly maxEntryBytes: number,
    private readonly clock: Clock,
  ) {}

  readonly get: ResultStore['get'] = async (key, newerThan = 0, lease) => {
    const value = await (lease ? this.readOrTake(key, newerThan, lease) : this.read(key));
    const result = Buffer.isBuffer(value) ? decodeResult(key, value) : undefined;
    if (!result || this.now() < usableFrom(result, key.cachingMs)) return undefined;
    // A gateway with other settings may have stored the result for longer.
    const expiresAt = knownAt(result) + key.cachingMs;
    return result.expiresAt > expiresAt + MAX_CLOCK_SKEW_MS ? { ...result, expiresAt } : result;
  };

  readonly set: ResultStore['set'] = async (key, result, usableUntil, lease) => {
    if (!this.accepts(result)) return;
    const bytes = encodeResult(key, result);
    const names = [this.keys.result(key), ...(lease ? [lease.key] : [])];
    const setUnlessNewer = async (replaceFutureUntil: number): Promise<number> => {
      const latest = this.now() + MAX_CLOCK_SKEW_MS;
      const times = [Math.ceil(usableUntil), latest, latest + key.cachingMs, replaceFutureUntil];
      const reply = await this.redis.write((client) =>
        client.eval(SET_UNLESS_NEWER, names.length, ...names, bytes, ...times, lease?.token ?? ''),
      );
      return typeof reply === 'number' ? reply : Number.NaN;
    };
    const first = await setUnlessNewer(0);
    const reply = first > 1 ? await setUnlessNewer(first + REPLACE_WITHIN_MS) : first;
    if (reply <= 1) lease?.end();
  };

  readonly purge = async ({ endpointId, hash }: PurgeScope): Promise<void> => {
    if (endpointId !== undefined && hash !== undefined) {
      await this.redis.run((client) => client.unlink(this.keys.result({ endpointId, hash })));
      return;
    }
    await this.redis.run((client) => unlinkMatching(client, this.keys.resultsOf(endpointId)));
  };

  private read(key: CacheKey): Promise<unknown> {
    return this.redis.run((client) => client.getBuffer(this.keys.result(key)).catch(missIfOtherType));
  }

  private async readOrTake(key: CacheKey, newerThan: number, lease: ResultLease): Promise<unknown> {
    const note = lease.ask();
    const numbers = [lease.ms, Math.max(0, newerThan), this.now(), key.cachingMs];
    const reply = await this.redis.run((client) =>
      client.callBuffer('eval', READ_OR_TAKE, 2, lease.key, this.keys.result(key), lease.token, ...numbers),
    );
    const [value, owner] = Array.isArray(reply) ? (reply as readonly unknown[]) : [];
    if (!value || owner) note(Buffer.isBuffer(owner) ? owner.toString('latin1') : undefined);
    return value;
  }

  private now(): number {
    return this.clock().getTime();
  }

  /** Whether a result is small enough for the shared cache. */
  readonly accepts = ({ bodies: { identity } }: EndpointResult): boolean =>
    identity.length <= this.maxEntryBytes;
}

/** Treats a value of another Redis type (a list, for example) as a miss, not as a failure of Redis. */
function missIfOtherType(error: unknown): null {
  if (error instanceof ReplyError && (error as Error).message.startsWith('WRONGTYPE')) return null;
  throw error;
}

async function unlinkMatching(client: RedisClient, pattern: string): Promise<number> {
  const nodes = client instanceof Cluster ? client.nodes('master') : [client];
  let unlinked = 0;
  for (const node of nodes) {
    let cursor = '0';
    do {
      const [next, found] = await node.scan(cursor, 'MATCH', pattern, 'COUNT', SCAN_COUNT);
      // Each key needs its own command, because the keys on a node of a Cluster are in many slots.
      const results = await Promise.all(found.map((key) => node.unlink(key)));
      unlinked += results.length;
      cursor = next;
    } while (cursor !== '0');
  }
  return unlinked;
}
