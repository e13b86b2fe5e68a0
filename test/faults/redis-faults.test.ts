import { Redis } from 'ioredis';

import { FakeRunQuery } from '../support/fake-run-query.js';
import { pollUntil } from '../support/poll-until.js';
import { respondWithGarbage, forwardTo } from '../support/redis-stand-in.js';
import { Started } from '../support/started.js';
import { openTestExecution, type TestExecution } from '../support/test-execution.js';

/** Three commands of 250 ms and what a busy machine adds: what an answer may cost while the breaker is closed. */
const BOUND_MS = 2000;
/** And while it is open. */
const OPEN_BOUND_MS = 500;
const UNREACHABLE = 'Redis does not answer; results are cached and limits counted in this process alone';
const BACK = 'Redis answers again';
const REJECTS = 'Redis refuses commands; results are cached and limits counted in this process alone';
const ACCEPTS = 'Redis takes commands again';

let count = 0;

/** Asks what nobody asked before, and gives the milliseconds until the answer. */
const timeNew = async ({ requestCity, runQuery }: TestExecution): Promise<number> => {
  const before = runQuery.requests.length;
  const startedAt = performance.now();
  count += 1;
  const { status } = await requestCity(`question ${count}`);
  expect([status, runQuery.requests.length]).toEqual(['MISS', before + 1]);
  return performance.now() - startedAt;
};

const logged = ({ logger }: TestExecution): readonly string[] =>
  logger.lines.filter(({ level }) => level !== 'debug').map(({ level, message }) => `${level}: ${message}`);

/** Asks on until Redis is back in use. */
const untilBack = (execution: TestExecution): Promise<true> =>
  pollUntil(
    'the breaker is closed',
    async () => {
      await timeNew(execution);
      return execution.cache.isRedisOpen() ? undefined : true;
    },
    120_000,
  );

/** That a gateway whose Redis has just failed answers all the same, soon without asking it, and says so once. */
const expectReleased = async (execution: TestExecution): Promise<void> => {
  for (let n = 0; n < 3; n += 1) expect(await timeNew(execution)).toBeLessThan(BOUND_MS);
  const many = await Promise.all(Array.from({ length: 50 }, () => execution.requestCity('the same')));
  expect(many).toHaveLength(50);
  expect(execution.cache.isRedisOpen()).toBe(true);
  const { status } = await execution.requestCity('the same');
  expect(status).toBe('HIT');
  expect(logged(execution)).toEqual([`warn: ${UNREACHABLE}`]);
};

describe('a Redis that', () => {
  it.concurrent(
    'is killed and started again costs no answer; the gateway lets go of it and comes back',
    () =>
      Started.during(async (started) => {
        const server = await started.redis();
        const execution = await started.execution(server.url);
        await timeNew(execution);
        await server.stop();
        await expectReleased(execution);
        expect(await timeNew(execution)).toBeLessThan(OPEN_BOUND_MS);

        started.redisAgain(server);
        await untilBack(execution);
        expect(logged(execution)).toEqual([`warn: ${UNREACHABLE}`, `info: ${BACK}`]);
        const other = await started.execution(server.url);
        let count = 0;
        // A reply that a busy machine delays counts as none.
        await pollUntil('a result is shared again', async () => {
          const target = `after it ${(count += 1)}`;
          await execution.requestCity(target);
          return (await other.requestCity(target)).status === 'HIT' || undefined;
        });
      }),
    120_000,
  );

  it.concurrent(
    'is away when a gateway purges leaves the purge incomplete until it is back',
    () =>
      Started.during(async (started) => {
        const server = await started.redis();
        const [one, other] = [await started.execution(server.url), await started.execution(server.url)];
        for (const { requestCity } of [one, other]) await requestCity('purged');
        await server.stop();
        expect(await one.cache.purge({})).toBe(false);
        expect(one.cache.local.use().size).toBe(0);
        expect((await other.requestCity('purged')).status).toBe('HIT');
        started.redisAgain(server);
        await pollUntil(
          'the other gateway has purged',
          async () => {
            await one.cache.synchronize();
            return other.cache.local.use().size === 0 || undefined;
          },
          120_000,
        );
        expect(await one.cache.purge({})).toBe(true);
      }),
    120_000,
  );

  it.concurrent(
    'stalls costs a bounded time, then none, and is used again when it goes on',
    () =>
      Started.during(async (started) => {
        const server = await started.redis();
        const execution = await started.execution(server.url);
        await timeNew(execution);
        server.child.kill('SIGSTOP');
        await expectReleased(execution);
        expect(await timeNew(execution)).toBeLessThan(BOUND_MS);
        server.child.kill('SIGCONT');
        await untilBack(execution);
        expect(logged(execution)).toEqual([`warn: ${UNREACHABLE}`, `info: ${BACK}`]);
      }),
    120_000,
  );

  it.concurrent(
    'loses its connections without a word is reached again on new ones',
    () =>
      Started.during(async (started) => {
        const server = await started.redis();
        const between = await started.standIn(forwardTo(server.port));
        const execution = await started.execution(between.url);
        await timeNew(execution);
        between.stallConnections();
        await expectReleased(execution);
        await untilBack(execution);
        expect(logged(execution)).toEqual([`warn: ${UNREACHABLE}`, `info: ${BACK}`]);
      }),
    120_000,
  );

  it.concurrent(
    'is full refuses what is new, is told of once, and is used again when there is room',
    () =>
      Started.during(async (started) => {
        const server = await started.redis(['--maxmemory', '2mb', '--maxmemory-policy', 'noeviction']);
        const execution = await started.execution(server.url);
        const admin = new Redis(server.url);
        started.add(() => {
          admin.disconnect();
        });
        await timeNew(execution);
        await fill(admin);
        for (let n = 0; n < 20; n += 1) expect(await timeNew(execution)).toBeLessThan(BOUND_MS);
        // Longer than the gateway takes to look after its lease, which a full Redis lets it renew.
        const startedAt = performance.now();
        await pollUntil('three rounds are over', async () => {
          await timeNew(execution);
          return performance.now() - startedAt > 3200 || undefined;
        });
        expect(logged(execution)).toEqual([`warn: ${REJECTS}`]);
        expect(execution.cache.isRedisOpen()).toBe(false);
        await admin.flushall();
        await pollUntil('it is told that there is room', async () => {
          await timeNew(execution);
          return logged(execution).length > 1 || undefined;
        });
        expect(logged(execution)).toEqual([`warn: ${REJECTS}`, `info: ${ACCEPTS}`]);
      }),
    120_000,
  );

  it.concurrent.each([
    ['no protocol at all', 'HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\n\r\nBad Request'],
    ['OK to everything', '+OK\r\n'],
    ['a number to everything', ':1\r\n'],
    ['a text to everything', '$5\r\nhello\r\n'],
    ['an empty list to everything', '*0\r\n'],
    ['nothing but nulls', '$-1\r\n'],
    ['an error to everything', '-ERR no\r\n'],
    ['bytes', Buffer.from([0, 255, 254, 1, 13, 10])],
  ])('answers %s costs a bounded time and never an answer', (_what, garbage) =>
    Started.during(async (started) => {
      const { url } = await started.standIn(respondWithGarbage(garbage));
      const execution = await started.execution(url);
      execution.runQuery.returnRows([{ city: 'Rome' }]);
      for (let n = 0; n < 5; n += 1) expect(await timeNew(execution)).toBeLessThan(BOUND_MS);
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => execution.requestCity('Rome')));
      for (const { result } of outcomes) {
        expect(result.bodies.identity.toString()).toBe('{"result":[{"city":"Rome"}]}');
      }
      await execution.cache.purge({});
      await execution.cache.usage.sets(execution.cache.local.use().keys().next().value ?? '');
      expect(logged(execution).length).toBeLessThanOrEqual(1);
    }),
  );

  it.concurrent(
    'is not there when the gateway starts is used as soon as it is',
    () =>
      Started.during(async (started) => {
        const server = await started.redis();
        await server.stop();
        const startedAt = performance.now();
        const execution = await started.execution(server.url);
        expect(performance.now() - startedAt).toBeLessThan(BOUND_MS);
        await expectReleased(execution);
        started.redisAgain(server);
        await untilBack(execution);
      }),
    120_000,
  );

  it('has gone away does not keep a process up that closes its cache', () =>
    Started.during(async (started) => {
      const timers = (): number =>
        process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
      const before = timers();
      const server = await started.redis();
      const execution = await openTestExecution({ environment: { REDIS_URL: server.url } });
      await server.stop();
      await timeNew(execution);
      await execution.close();
      await pollUntil('no timer is left of the connections', () => timers() <= before || undefined, 1500);
    }));

  it.concurrent('is away leaves equal questions to each process: one query in each', () =>
    Started.during(async (started) => {
      const server = await started.redis();
      await server.stop();
      const runQuery = new FakeRunQuery();
      const environment = { REDIS_URL: server.url };
      const gateways = await Promise.all([1, 2].map(() => openTestExecution({ environment, runQuery })));
      for (const { close } of gateways) started.add(close);
      await Promise.all(
        gateways.flatMap(({ requestCity }) => Array.from({ length: 100 }, () => requestCity('Rome'))),
      );
      expect(runQuery.requests).toHaveLength(2);
    }),
  );
});

/** Fills it until it refuses even the least. */
async function fill(admin: Redis): Promise<void> {
  for (let n = 0; ; n += 1) {
    try {
      await admin.set(`filler-${n}`, 'x'.repeat(10_000));
    } catch {
      return;
    }
  }
}
