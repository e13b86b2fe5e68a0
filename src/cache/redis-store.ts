import { Cluster, ReplyError } from 'ioredis';

import { sizeOf, type Answer } from '../execution/answer.js';
import type { AnswerStore, PurgeScope } from '../execution/answer-store.js';
import type { CacheKey } from '../execution/cache-key.js';
import { decodeAnswer, encodeAnswer, MAGIC, PREFIX } from './answer-codec.js';
import type { GuardedRedis } from './guarded-redis.js';
import type { RedisClient } from './redis-connection.js';
import type { RedisKeys } from './redis-keys.js';

const SCAN_COUNT = 500;

/**
 * Fencing by the time of creation: whoever comes late, a holder that lost its lock or a leader that lost its lease, never
 * replaces an answer with an older one. A value that is no answer to this key, whatever its type, is replaced. KEYS: the
 * answer's; ARGV: its bytes, until when to keep it (milliseconds since 1970).
 */
const SET_UNLESS_NEWER = `
  local function times(value)
    if type(value) ~= 'string' or string.sub(value, 1, ${MAGIC.length}) ~= '${MAGIC}' then return nil end
    local hash = string.sub(value, ${PREFIX.hashStart + 1}, ${PREFIX.end})
    if hash ~= string.sub(ARGV[1], ${PREFIX.hashStart + 1}, ${PREFIX.end}) then return nil end
    return tonumber(string.match(string.sub(value, ${PREFIX.createdStart + 1}, ${PREFIX.expiresStart}), '^%d+$'))
  end
  local created = times(redis.pcall('getrange', KEYS[1], 0, ${PREFIX.end - 1}))
  if created and created > times(ARGV[1]) then return 0 end
  redis.call('set', KEYS[1], ARGV[1], 'PXAT', ARGV[2])
  return 1`;

/** Answers in Redis, for all gateways that share it; every key has an expiry. */
export class RedisStore implements AnswerStore {
  /** @param maxAnswerBytes larger answers are left to the processes. */
  constructor(
    private readonly redis: GuardedRedis,
    private readonly keys: RedisKeys,
    private readonly maxAnswerBytes: number,
  ) {}

  readonly get = async (key: CacheKey): Promise<Answer | undefined> => {
    const value: unknown = await this.redis.read((client) =>
      client.getBuffer(this.keys.answer(key)).catch(missIfOtherType),
    );
    return Buffer.isBuffer(value) ? decodeAnswer(key, value) : undefined;
  };

  readonly set = async (key: CacheKey, answer: Answer, keepUntil: number): Promise<void> => {
    if (!this.takes(answer)) return;
    await this.redis.write((client) =>
      client.eval(
        SET_UNLESS_NEWER,
        1,
        this.keys.answer(key),
        encodeAnswer(key, answer),
        Math.ceil(keepUntil),
      ),
    );
  };

  readonly purge = async ({ endpointId, hash }: PurgeScope): Promise<void> => {
    if (endpointId !== undefined && hash !== undefined) {
      await this.redis.touch((client) => client.unlink(this.keys.answer({ endpointId, hash })));
      return;
    }
    await this.redis.touch((client) => unlinkMatching(client, this.keys.answersOf(endpointId)));
  };

  /** Whether an answer is small enough to be shared. */
  takes(answer: Answer): boolean {
    return sizeOf(answer) <= this.maxAnswerBytes;
  }
}

/** A key of ours that holds a list, say, is no trouble of Redis. */
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
      // One by one, since keys of a Cluster's node are in many slots.
      const results = await Promise.all(found.map((key) => node.unlink(key)));
      unlinked += results.length;
      cursor = next;
    } while (cursor !== '0');
  }
  return unlinked;
}
