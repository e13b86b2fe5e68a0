import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';

import { FakeRunQuery } from '../support/fake-run-query.js';
import { pollUntil } from '../support/poll-until.js';
import { answerGarbage, passOn, type RedisStandIn } from '../support/redis-stand-in.js';
import { startRedis } from '../support/start-redis.mjs';
import { openTestExecution, type TestExecution } from '../support/test-execution.js';

/** Three commands of 250 ms and what a busy machine adds: what an answer may cost while the breaker is closed. */
const BOUND_MS = 2000;
/** And while it is open. */
const OPEN_BOUND_MS = 200;
const AWAY = 'Redis does not answer; results are cached and limits counted in this process alone';
const BACK = 'Redis answers again';
const REFUSES = 'Redis refuses commands; results are cached and limits counted in this process alone';
const TAKES = 'Redis takes commands again';

let folder: string;
const closers: (() => unknown)[] = [];
let questions = 0;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'querygate-test-'));
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await rm(folder, { recursive: true, force: true });
});

const start = async (options: readonly string[] = []) => {
  const server = await startRedis(folder, options);
  closers.push(server.stop);
  return server;
};

const standIn = async (opening: Promise<RedisStandIn>): Promise<RedisStandIn> => {
  const opened = await opening;
  closers.push(opened.close);
  return opened;
};

const open = async (url: string): Promise<TestExecution> => {
  const execution = await openTestExecution({ environment: { REDIS_URL: url } });
  closers.push(execution.close);
  return execution;
};

/** Asks what nobody asked before, and gives the milliseconds until the answer. */
const timeNew = async ({ ask, runQuery }: TestExecution): Promise<number> => {
  const before = runQuery.requests.length;
  const began = performance.now();
  questions += 1;
  const { status } = await ask(`question ${questions}`);
  expect([status, runQuery.requests.length]).toEqual(['MISS', before + 1]);
  return performance.now() - began;
};

/** Starts a server that was stopped once more, on the same port. */
const startAgain = ({ child: { spawnfile, spawnargs } }: Awaited<ReturnType<typeof start>>): void => {
  const again = spawn(spawnfile, spawnargs.slice(1), { stdio: 'ignore' });
  closers.push(async () => {
    again.kill('SIGKILL');
    await once(again, 'exit');
  });
};

const told = ({ logger }: TestExecution): readonly string[] =>
  logger.lines.filter(({ level }) => level !== 'debug').map(({ level, message }) => `${level}: ${message}`);

/** Asks on until Redis is back in use. */
const untilBack = (execution: TestExecution): Promise<true> =>
  pollUntil(
    'the breaker is closed',
    async () => {
      await timeNew(execution);
      return execution.cache.isRedisOpen() ? undefined : true;
    },
    12_000,
  );

/** That a gateway whose Redis has just failed answers all the same, soon without asking it, and says so once. */
const expectLettingGo = async (execution: TestExecution): Promise<void> => {
  for (let n = 0; n < 3; n += 1) expect(await timeNew(execution)).toBeLessThan(BOUND_MS);
  const many = await Promise.all(Array.from({ length: 50 }, () => execution.ask('the same')));
  expect(many).toHaveLength(50);
  expect(execution.cache.isRedisOpen()).toBe(true);
  const { status } = await execution.ask('the same');
  expect(status).toBe('HIT');
  expect(told(execution)).toEqual([`warn: ${AWAY}`]);
};

describe('a Redis that', () => {
  it('is killed and started again costs no answer; the gateway lets go of it and comes back', async () => {
    const server = await start();
    const execution = await open(server.url);
    await timeNew(execution);
    await server.stop();
    await expectLettingGo(execution);
    expect(await timeNew(execution)).toBeLessThan(OPEN_BOUND_MS);

    startAgain(server);
    await untilBack(execution);
    expect(told(execution)).toEqual([`warn: ${AWAY}`, `info: ${BACK}`]);
    await execution.ask('after it');
    const other = await open(server.url);
    expect((await other.ask('after it')).status).toBe('HIT');
  }, 30_000);

  it('is away when a gateway purges leaves the purge incomplete until it is back', async () => {
    const server = await start();
    const [one, other] = [await open(server.url), await open(server.url)];
    for (const { ask } of [one, other]) await ask('purged');
    await server.stop();
    expect(await one.cache.purge({})).toBe(false);
    expect(one.cache.memory.use().size).toBe(0);
    expect((await other.ask('purged')).status).toBe('HIT');
    startAgain(server);
    await pollUntil(
      'the other gateway has purged',
      async () => {
        await one.cache.keepInTouch();
        return other.cache.memory.use().size === 0 || undefined;
      },
      12_000,
    );
    expect(await one.cache.purge({})).toBe(true);
  }, 30_000);

  it('stalls costs a bounded time, then none, and is used again when it goes on', async () => {
    const server = await start();
    const execution = await open(server.url);
    await timeNew(execution);
    server.child.kill('SIGSTOP');
    await expectLettingGo(execution);
    expect(await timeNew(execution)).toBeLessThan(BOUND_MS);
    server.child.kill('SIGCONT');
    await untilBack(execution);
    expect(told(execution)).toEqual([`warn: ${AWAY}`, `info: ${BACK}`]);
  }, 30_000);

  it('loses its connections without a word is reached again on new ones', async () => {
    const server = await start();
    const between = await standIn(passOn(server.port));
    const execution = await open(between.url);
    await timeNew(execution);
    between.loseConnections();
    await expectLettingGo(execution);
    await untilBack(execution);
    expect(told(execution)).toEqual([`warn: ${AWAY}`, `info: ${BACK}`]);
  }, 30_000);

  it('is full refuses what is new, is told of once, and is used again when there is room', async () => {
    const server = await start(['--maxmemory', '2mb', '--maxmemory-policy', 'noeviction']);
    const execution = await open(server.url);
    const admin = new Redis(server.url);
    closers.push(() => {
      admin.disconnect();
    });
    await timeNew(execution);
    await fill(admin);
    for (let n = 0; n < 20; n += 1) expect(await timeNew(execution)).toBeLessThan(BOUND_MS);
    // Longer than the gateway takes to look after its lease, which a full Redis lets it renew.
    const began = performance.now();
    await pollUntil('three rounds are over', async () => {
      await timeNew(execution);
      return performance.now() - began > 3200 || undefined;
    });
    expect(told(execution)).toEqual([`warn: ${REFUSES}`]);
    expect(execution.cache.isRedisOpen()).toBe(false);
    await admin.flushall();
    await pollUntil('it is told that there is room', async () => {
      await timeNew(execution);
      return told(execution).length > 1 || undefined;
    });
    expect(told(execution)).toEqual([`warn: ${REFUSES}`, `info: ${TAKES}`]);
  }, 30_000);

  it.each([
    ['no protocol at all', 'HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\n\r\nBad Request'],
    ['OK to everything', '+OK\r\n'],
    ['a number to everything', ':1\r\n'],
    ['a text to everything', '$5\r\nhello\r\n'],
    ['an empty list to everything', '*0\r\n'],
    ['nothing but nulls', '$-1\r\n'],
    ['an error to everything', '-ERR no\r\n'],
    ['bytes', Buffer.from([0, 255, 254, 1, 13, 10])],
  ])('answers %s costs a bounded time and never an answer', async (_what, garbage) => {
    const { url } = await standIn(answerGarbage(garbage));
    const execution = await open(url);
    execution.runQuery.answer([{ city: 'Rome' }]);
    for (let n = 0; n < 5; n += 1) expect(await timeNew(execution)).toBeLessThan(BOUND_MS);
    const answers = await Promise.all(Array.from({ length: 20 }, () => execution.ask('Rome')));
    for (const { answer } of answers) {
      expect(answer.bodies.identity.toString()).toBe('{"result":[{"city":"Rome"}]}');
    }
    await execution.cache.purge({});
    await execution.cache.usage.sets(execution.cache.memory.use().keys().next().value ?? '');
    expect(told(execution).length).toBeLessThanOrEqual(1);
  });

  it('is not there when the gateway starts is used as soon as it is', async () => {
    const server = await start();
    await server.stop();
    const began = performance.now();
    const execution = await open(server.url);
    expect(performance.now() - began).toBeLessThan(BOUND_MS);
    await expectLettingGo(execution);
    startAgain(server);
    await untilBack(execution);
  }, 30_000);

  it('has gone away does not keep a process up that closes its cache', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    const server = await start();
    const execution = await openTestExecution({ environment: { REDIS_URL: server.url } });
    await server.stop();
    await timeNew(execution);
    await execution.close();
    await pollUntil('no timer is left of the connections', () => timers() <= before || undefined, 1500);
  });

  it('is away leaves equal questions to each process: one query in each', async () => {
    const server = await start();
    await server.stop();
    const runQuery = new FakeRunQuery();
    const environment = { REDIS_URL: server.url };
    const gateways = await Promise.all([1, 2].map(() => openTestExecution({ environment, runQuery })));
    for (const { close } of gateways) closers.push(close);
    await Promise.all(gateways.flatMap(({ ask }) => Array.from({ length: 100 }, () => ask('Rome'))));
    expect(runQuery.requests).toHaveLength(2);
  });
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
