import { Redis } from 'ioredis';

import { pollUntil } from '../support/poll-until.js';
import { forwardTo, type RedisStandIn } from '../support/redis-stand-in.js';
import { Started } from '../support/started.js';
import type { TestExecution } from '../support/test-execution.js';

describe('a Redis that', () => {
  it.concurrent(
    'becomes a replica is left for the new master behind the same address',
    () =>
      Started.during(async (started) => {
        const [first, second] = [await started.redis(), await started.redis()];
        let { port } = first;
        const { url } = await started.standIn(forwardTo(() => port));
        const execution = await started.execution(url);
        expect((await execution.requestCity('before')).status).toBe('MISS');
        ({ port } = second);
        const admin = new Redis(first.url);
        started.add(() => {
          admin.disconnect();
        });
        await admin.replicaof('127.0.0.1', second.port);
        const other = await started.execution(second.url);
        let count = 0;
        await pollUntil('results are shared through the new master', async () => {
          const target = `on the new master ${(count += 1)}`;
          await execution.requestCity(target);
          const isShared = (await other.requestCity(target)).status === 'HIT';
          return (isShared && execution.cache.redisState() === 'in use') || undefined;
        });
        await execution.logger.line('Redis accepts commands again');
      }),
    120_000,
  );

  it.concurrent(
    'was full and has memory again is noticed by a gateway without requests',
    () =>
      Started.during(async (started) => {
        const { url } = await started.redis();
        const { requestCity, cache } = await started.execution(url);
        const admin = new Redis(url);
        started.add(() => {
          admin.disconnect();
        });
        await admin.config('SET', 'maxmemory', '1');
        await pollUntil('it rejects writes', async () => {
          await requestCity(`while full ${Math.random()}`);
          return cache.redisState() === 'rejects commands' || undefined;
        });
        await admin.config('SET', 'maxmemory', '0');
        await pollUntil('it accepts them', async () => {
          await cache.publishAgain();
          return cache.redisState() === 'in use' || undefined;
        });
      }),
    120_000,
  );

  it.concurrent.each([
    [
      'refuses one gateway for a while keeps a purge for it, also where the circuit breaker of that is open',
      async (between: RedisStandIn, { requestCity, cache }: TestExecution) => {
        const accept = between.refuse();
        await pollUntil('the breaker is open', async () => {
          await requestCity(`while away ${Math.random()}`);
          return cache.redisState() === 'circuit open' || undefined;
        });
        return accept;
      },
    ],
    [
      'silently loses the connections of one gateway keeps a purge for it, though that only has hits',
      (between: RedisStandIn) => {
        between.stallConnections();
        return Promise.resolve(() => undefined);
      },
    ],
  ])(
    '%s',
    (_what, lose) =>
      Started.during(async (started) => {
        const { port, url } = await started.redis();
        const between = await started.standIn(forwardTo(port));
        const [one, other] = [await started.execution(url), await started.execution(between.url)];
        const hasPurged = async (): Promise<true | undefined> =>
          (await other.requestCity('purged')).status === 'HIT' ? undefined : true;
        await hasPurged();
        await pollUntil('it hears of purges', async () => (await one.cache.purge({})) && hasPurged());
        const accept = await lose(between, other);
        expect(await one.cache.purge({})).toBe(true);
        expect(await hasPurged()).toBeUndefined();
        accept();
        const again = async (): Promise<true | undefined> => {
          await other.cache.publishAgain();
          return hasPurged();
        };
        // Sooner than the result expires.
        await pollUntil('it is purged', again, 20_000);
      }),
    120_000,
  );

  it.concurrent('wants a password is reported at the start, with that reason', () =>
    Started.during(async (started) => {
      const { url } = await started.redis(['--requirepass', 'secret']);
      const { logger } = await started.execution(url);
      const { fields } = await logger.line(
        'Redis does not respond; this process caches results and counts limits on its own',
      );
      expect(fields).toMatchObject({ reason: expect.stringContaining('NOAUTH') as string });
    }),
  );
});
