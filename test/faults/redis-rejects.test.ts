import { Redis } from 'ioredis';

import { pollUntil } from '../support/poll-until.js';
import { forwardTo } from '../support/redis-stand-in.js';
import { Started } from '../support/started.js';

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
