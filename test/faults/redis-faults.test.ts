import { Redis } from 'ioredis';

import { FakeRunQuery } from '../support/fake-run-query.js';
import { pollUntil } from '../support/poll-until.js';
import { respondWithGarbage, forwardTo } from '../support/redis-stand-in.js';
import { Started } from '../support/started.js';
import { openTestExecution, type TestExecution } from '../support/test-execution.js';

const UNREACHABLE = 'Redis does not respond; this process caches results and counts limits on its own';
const BACK = 'Redis responds again';
const REJECTS = 'Redis rejects commands; this process caches results and counts limits on its own';
const ACCEPTS = 'Redis accepts commands again';

let cityCount = 0;

/** Requests a new city. A request that waited for Redis without a bound would exceed the time limit of its test. */
const requestNew = async ({ requestCity, clickhouse }: TestExecution): Promise<void> => {
  const before = clickhouse.requests.length;
  cityCount += 1;
  const { status } = await requestCity(`city ${cityCount}`);
  expect([status, clickhouse.requests.length]).toEqual(['MISS', before + 1]);
};

const logged = ({ logger }: TestExecution): readonly string[] =>
  logger.lines.filter(({ level }) => level !== 'debug').map(({ level, message }) => `${level}: ${message}`);

/** Of a Redis that is full; on a busy machine some of its replies are late too. */
const ofFullness = (execution: TestExecution): readonly string[] =>
  logged(execution).filter((line) => [REJECTS, ACCEPTS].some((message) => line.endsWith(message)));

/** Sends requests until the gateway uses Redis again. */
const untilBack = (execution: TestExecution): Promise<true> =>
  pollUntil(
    'the breaker is closed',
    async () => {
      await requestNew(execution);
      return execution.cache.redisState() === 'circuit open' ? undefined : true;
    },
    120_000,
  );

/** Expects that a gateway whose Redis has just failed returns results, soon without Redis, and logs that once. */
const expectReleased = async (execution: TestExecution): Promise<void> => {
  for (let n = 0; n < 3; n += 1) await requestNew(execution);
  const many = await Promise.all(Array.from({ length: 50 }, () => execution.requestCity('the same')));
  expect(many).toHaveLength(50);
  expect(execution.cache.redisState()).toBe('circuit open');
  const { status } = await execution.requestCity('the same');
  expect(status).toBe('HIT');
  expect(logged(execution)).toEqual([`warn: ${UNREACHABLE}`]);
};

describe('a Redis that', () => {
  it.concurrent(
    'is killed and restarted costs no result; the gateway stops using it and then uses it again',
    () =>
      Started.during(async (started) => {
        const server = await started.redis();
        const execution = await started.execution(server.url);
        await requestNew(execution);
        await server.stop();
        await expectReleased(execution);
        await requestNew(execution);

        started.redisAgain(server);
        await untilBack(execution);
        expect(logged(execution)).toEqual([`warn: ${UNREACHABLE}`, `info: ${BACK}`]);
        const other = await started.execution(server.url);
        let count = 0;
        // A reply that a busy machine delays counts as missing.
        await pollUntil('a result is shared again', async () => {
          const target = `after it ${(count += 1)}`;
          await execution.requestCity(target);
          return (await other.requestCity(target)).status === 'HIT' || undefined;
        });
      }),
    120_000,
  );

  it.concurrent(
    'is unreachable during a purge leaves the purge incomplete until it is back',
    () =>
      Started.during(async (started) => {
        const server = await started.redis();
        const [one, other] = [await started.execution(server.url), await started.execution(server.url)];
        for (const { requestCity } of [one, other]) await requestCity('purged');
        await server.stop();
        expect(await one.cache.purge({})).toBe(false);
        expect(one.cache.local.memoryUse().size).toBe(0);
        expect((await other.requestCity('purged')).status).toBe('HIT');
        started.redisAgain(server);
        await pollUntil(
          'the other gateway has purged',
          async () => {
            await one.cache.publishAgain();
            return other.cache.local.memoryUse().size === 0 || undefined;
          },
          120_000,
        );
        expect(await one.cache.purge({})).toBe(true);
      }),
    120_000,
  );

  it.concurrent(
    'stalls costs a bounded time, then none, and is used again when it continues',
    () =>
      Started.during(async (started) => {
        const server = await started.redis();
        const execution = await started.execution(server.url);
        await requestNew(execution);
        server.child.kill('SIGSTOP');
        await expectReleased(execution);
        await requestNew(execution);
        server.child.kill('SIGCONT');
        await untilBack(execution);
        expect(logged(execution)).toEqual([`warn: ${UNREACHABLE}`, `info: ${BACK}`]);
      }),
    120_000,
  );

  it.concurrent(
    'silently loses its connections is used again on new ones',
    () =>
      Started.during(async (started) => {
        const server = await started.redis();
        const between = await started.standIn(forwardTo(server.port));
        const execution = await started.execution(between.url);
        await requestNew(execution);
        between.stallConnections();
        await expectReleased(execution);
        await untilBack(execution);
        expect(logged(execution)).toEqual([`warn: ${UNREACHABLE}`, `info: ${BACK}`]);
      }),
    120_000,
  );

  it.concurrent(
    'is full rejects writes, is reported once, and is used again when there is space',
    () =>
      Started.during(async (started) => {
        const server = await started.redis(['--maxmemory-policy', 'noeviction']);
        const execution = await started.execution(server.url);
        const admin = new Redis(server.url);
        started.add(() => {
          admin.disconnect();
        });
        await requestNew(execution);
        // Less than it uses, so that no value is small enough.
        await admin.config('SET', 'maxmemory', '1');
        await pollUntil('the log reports that Redis rejects commands', async () => {
          await requestNew(execution);
          return ofFullness(execution).length > 0 || undefined;
        });
        // Longer than the interval at which the gateway renews its lease, which a full Redis accepts.
        const startedAt = performance.now();
        await pollUntil('three rounds are over', async () => {
          await requestNew(execution);
          return performance.now() - startedAt > 3200 || undefined;
        });
        expect(ofFullness(execution)).toEqual([`warn: ${REJECTS}`]);
        await untilBack(execution);
        expect(execution.cache.redisState()).toBe('rejects commands');
        await admin.config('SET', 'maxmemory', '0');
        await pollUntil('the log reports that Redis accepts commands', async () => {
          await requestNew(execution);
          return ofFullness(execution).length > 1 || undefined;
        });
        expect(ofFullness(execution)).toEqual([`warn: ${REJECTS}`, `info: ${ACCEPTS}`]);
      }),
    120_000,
  );

  it.concurrent.each([
    ['another protocol', 'HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\n\r\nBad Request'],
    ['OK to everything', '+OK\r\n'],
    ['a number to everything', ':1\r\n'],
    ['a string to everything', '$5\r\nhello\r\n'],
    ['an empty list to everything', '*0\r\n'],
    ['nothing but nulls', '$-1\r\n'],
    ['an error to everything', '-ERR no\r\n'],
    ['bytes', Buffer.from([0, 255, 254, 1, 13, 10])],
  ])('responds with %s costs a bounded time and never a wrong result', (_what, garbage) =>
    Started.during(async (started) => {
      const { url } = await started.standIn(respondWithGarbage(garbage));
      const execution = await started.execution(url);
      execution.clickhouse.returnRows([{ city: 'Rome' }]);
      for (let n = 0; n < 5; n += 1) await requestNew(execution);
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => execution.requestCity('Rome')));
      for (const { result } of outcomes) {
        expect(result.bodies.identity.toString()).toBe('{"result":[{"city":"Rome"}]}');
      }
      await execution.cache.purge({});
      expect(logged(execution).length).toBeLessThanOrEqual(1);
    }),
  );

  it.concurrent(
    'is unreachable when the gateway starts is used once it is reachable',
    () =>
      Started.during(async (started) => {
        const server = await started.redis();
        await server.stop();
        const execution = await started.execution(server.url);
        await expectReleased(execution);
        started.redisAgain(server);
        await untilBack(execution);
      }),
    120_000,
  );

  it('has become unreachable does not prevent a process from closing its cache and exiting', () =>
    Started.during(async (started) => {
      const timers = (): number =>
        process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
      const before = timers();
      const server = await started.redis();
      const execution = await openTestExecution({ environment: { REDIS_URL: server.url } });
      await server.stop();
      await requestNew(execution);
      await execution.close();
      await pollUntil('no timer of the connections remains', () => timers() <= before || undefined, 1500);
    }));

  it.concurrent('is unreachable leads to one query per process for identical requests', () =>
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
