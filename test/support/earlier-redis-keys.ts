import { encodeResult } from '../../src/gateway/cache/result-codec.js';
import type { CacheKey } from '../../src/gateway/query/cache-key.js';
import { sampleResult } from './sample-result.js';
import type { TestRedis } from './test-redis.js';

/** Nobody has this token. */
const TOKEN = 'f'.repeat(32);

/** Writes what version 0.1 and builds before it left in Redis: under their names, and an entry under the name of today. */
export async function writeEarlierKeys({ prefix, client, keys }: TestRedis, key: CacheKey): Promise<void> {
  const { endpointId: id, hash } = key;
  const now = Date.now();
  const entry = encodeResult(key, sampleResult({ createdAt: now, expiresAt: now + 900_000 }));
  const olderEntry = Buffer.concat([Buffer.from('QGA2'), entry.subarray(4)]);
  const set = { hash, values: { n: 0 }, scope: '', lastUsedAt: now, uses: 1, createdAt: now };
  const values: Readonly<Record<string, string | Buffer>> = {
    [`${prefix}result:${id}:{${hash}}`]: entry,
    [`${prefix}answer:${id}:{${hash}}`]: olderEntry,
    [keys.result(key)]: olderEntry,
    [`${prefix}lock:{${hash}}`]: TOKEN,
    [`${prefix}failure:{${hash}}:${TOKEN}`]: '{"code":"NO_SUCH_CODE"}',
    [`${prefix}warming:leader`]: TOKEN,
    [`${prefix}used:${id}:earlier`]: JSON.stringify([set]),
  };
  for (const [name, value] of Object.entries(values)) await client.set(name, value, 'EX', 900);
  await client.zadd(`${prefix}used:${id}`, now, 'earlier');
  await client.hset(`${prefix}usage:${id}`, `earlier:${hash}`, JSON.stringify({ askedAt: now, asks: 1 }));
  await client.hset(`${prefix}purges`, ':', JSON.stringify({ bornUntil: now + 1000 }), 'x', 'not JSON');
}
