/**
 * Listens for purges, from the build, and writes a line for each.
 *
 * Environment: REDIS_URL, CACHE_KEY_PREFIX.
 */
import { importBuild } from './import-build.mjs';

const { CircuitBreaker } = await importBuild('gateway/coordination/circuit-breaker.js');
const { GuardedRedis } = await importBuild('gateway/coordination/guarded-redis.js');
const { connectRedis } = await importBuild('gateway/coordination/redis-connection.js');
const { RedisKeys } = await importBuild('gateway/coordination/redis-keys.js');
const { RedisPurges } = await importBuild('gateway/coordination/redis-purges.js');

const ignore = () => undefined;
const client = connectRedis(process.env['REDIS_URL'], ignore);
const breaker = new CircuitBreaker({
  ...{ failuresToOpen: 4, firstPauseMs: 50, maxPauseMs: 50, clock: () => new Date(), onChange: ignore },
});
const redis = new GuardedRedis(client, breaker, ignore);
const purges = new RedisPurges(client, redis, new RedisKeys(process.env['CACHE_KEY_PREFIX']), () => {
  process.stdout.write('purged\n');
});
setInterval(() => void purges.publishAgain(), 1000);
