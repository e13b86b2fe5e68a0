import { Failure } from '../../../src/errors.js';
import type { Answered } from '../../../src/execution/call.js';
import { FakeRunQuery } from '../../support/fake-run-query.js';
import { holdQueries } from '../../support/held-query.js';
import { pollUntil } from '../../support/poll-until.js';
import { sampleEndpoint } from '../../support/sample-endpoint.js';
import { openTestExecution, type TestExecution } from '../../support/test-execution.js';
import { TestPrimary, type TestLink } from '../../support/test-workers.js';

interface TestWorker extends TestExecution, TestLink {}

let runQuery: FakeRunQuery;
let primary: TestPrimary;
let workers: TestWorker[];

beforeEach(() => {
  runQuery = new FakeRunQuery();
  primary = new TestPrimary();
  workers = [];
});
afterEach(async () => {
  for (const { close } of workers) await close();
  expect(primary.faults).toEqual([]);
});

type WorkerOptions = Parameters<typeof openTestExecution>[0] & { readonly answerMs?: number };

const open = async (count: number, { answerMs, ...options }: WorkerOptions = {}): Promise<void> => {
  for (let n = 0; n < count; n += 1) {
    const joined = primary.join(answerMs);
    const execution = await openTestExecution({ runQuery, primary: joined.link, ...options });
    workers.push({ ...execution, ...joined });
  }
};

const worker = (index: number): TestWorker => {
  const found = workers[index];
  if (!found) throw new Error(`there is no worker ${index}`);
  return found;
};

const textOf = ({ answer }: Answered): string => answer.bodies.identity.toString();
const untilAsked = (times: number): Promise<true> =>
  pollUntil(`ClickHouse is asked ${times} times`, () => runQuery.requests.length >= times || undefined);

/** Messages that are on their way have come, there and back. */
const settle = async (): Promise<void> => {
  for (const { link } of workers) await link.ask('limits.read', 'nothing');
};

/** Lets every worker ask, the first one first. */
const askEverywhere = async (): Promise<Promise<Answered>[]> => {
  const asked = [worker(0).ask('Rome')];
  await untilAsked(1);
  asked.push(...workers.slice(1).map(({ ask }) => ask('Rome')));
  for (const promise of asked) promise.catch(() => undefined);
  await settle();
  await settle();
  return asked;
};

describe('equal questions in several workers', () => {
  it('cause one query, and all get the same bytes', async () => {
    const held = holdQueries(runQuery);
    await open(3);
    const asked = await askEverywhere();
    held.answer([{ city: 'Rome' }]);
    const answers = await Promise.all(asked);
    expect(runQuery.requests).toHaveLength(1);
    expect(new Set(answers.map(textOf))).toEqual(new Set(['{"result":[{"city":"Rome"}]}']));
    expect(answers.map(({ collapsed }) => collapsed)).toEqual([false, true, true]);
  });

  it('cause one query for a thousand at once, whatever the order', async () => {
    await open(3);
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(
        workers.flatMap(({ ask }) => Array.from({ length: 333 }, () => ask(`city ${round}`))),
      );
      expect(runQuery.requests).toHaveLength(round + 1);
    }
  });

  it('are hits everywhere once one worker was told the answer', async () => {
    await open(2);
    await worker(0).ask('Rome');
    expect((await worker(1).ask('Rome')).status).toBe('HIT');
    expect(worker(1).cache.memory.use().size).toBe(1);
    expect(runQuery.requests).toHaveLength(1);
  });

  it('are hits in a worker that began after the one that asked has gone', async () => {
    await open(1);
    await worker(0).ask('Rome');
    await settle();
    worker(0).member.leave();
    await open(1);
    expect((await worker(1).ask('Rome')).status).toBe('HIT');
  });

  it('get the failure of the one that asked; it is not cached', async () => {
    const held = holdQueries(runQuery);
    await open(3);
    const asked = await askEverywhere();
    held.fail(new Failure('CLICKHOUSE_BUSY', 'ClickHouse is busy.', { retryAfterSeconds: 7 }));
    for (const { reason } of (await Promise.allSettled(asked)) as PromiseRejectedResult[]) {
      expect(reason).toMatchObject({
        code: 'CLICKHOUSE_BUSY',
        message: 'ClickHouse is busy.',
        details: { retryAfterSeconds: 7 },
      });
    }
    runQuery.answer([{ city: 'Rome' }]);
    expect((await worker(1).ask('Rome')).status).toBe('MISS');
    expect(runQuery.requests).toHaveLength(2);
  });

  it('are asked by the next one when the caller that asks has gone', async () => {
    holdQueries(runQuery);
    await open(2);
    const leaving = new AbortController();
    const left = worker(0).ask('Rome', { signal: leaving.signal });
    await untilAsked(1);
    const stayed = worker(1).ask('Rome');
    await settle();
    await settle();
    runQuery.answer([{ city: 'Rome' }]);
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect((await stayed).status).toBe('MISS');
    expect(runQuery.requests).toHaveLength(2);
  });

  it('are asked by exactly one of the others when the worker that asks dies', async () => {
    const held = holdQueries(runQuery);
    await open(3);
    const [, ...others] = await askEverywhere();
    runQuery.answer([{ city: 'Rome' }]);
    worker(0).member.leave();
    const answers = await Promise.all(others);
    expect(answers.map(textOf)).toEqual(Array(2).fill('{"result":[{"city":"Rome"}]}'));
    expect(runQuery.requests).toHaveLength(2);
    held.fail(new Error('its process has ended'));
  });

  it('are waited for as long as a query and its wait for a place may take, and no longer', async () => {
    const held = holdQueries(runQuery);
    await open(2, { environment: { QUERY_TIMEOUT_SECONDS: '0.2', QUEUE_TIMEOUT_SECONDS: '0.4' } });
    const began = performance.now();
    const [, other] = await askEverywhere();
    runQuery.answer([{ city: 'Rome' }]);
    expect((await other)?.status).toBe('MISS');
    expect(runQuery.requests).toHaveLength(2);
    expect(performance.now() - began).toBeGreaterThan(590);
    held.answer([]);
  });

  it('are asked by each worker where the primary is silent', async () => {
    await open(2, { answerMs: 20 });
    for (const { silence } of workers) silence();
    const answers = await Promise.all(workers.map(({ ask }) => ask('Rome')));
    expect(answers.map(({ status }) => status)).toEqual(['MISS', 'MISS']);
    expect(runQuery.requests).toHaveLength(2);
    for (const { resume } of workers) resume();
  });
});

describe('an answer that is replaced in one worker', () => {
  it('is the answer of those that held the one from before, and of no others', async () => {
    runQuery.answer([{ city: 'old' }]);
    await open(3);
    await worker(0).ask('Rome');
    await worker(1).ask('Rome');
    runQuery.answer([{ city: 'new' }]);
    await worker(0).ask('Rome', { demand: 'fresh' });
    await settle();
    const kept = workers.map(({ cache }) => [...cache.memory.use().values()].length);
    expect(kept).toEqual([1, 1, 0]);
    const next = await Promise.all(workers.map(({ ask }) => ask('Rome')));
    expect(next.map((answered) => [answered.status, textOf(answered)])).toEqual(
      Array(3).fill(['HIT', '{"result":[{"city":"new"}]}']),
    );
    expect(runQuery.requests).toHaveLength(2);
  });
});

describe('a purge in one worker', () => {
  it('has reached all of them, and the primary, when it is over', async () => {
    await open(3);
    for (const { ask } of workers) await ask('Rome');
    await worker(1).cache.purge({});
    expect(workers.map(({ cache }) => cache.memory.use().size)).toEqual([0, 0, 0]);
    // A query begins at a later millisecond than the purge.
    const purgedAt = Date.now();
    await pollUntil('the clock goes on', () => Date.now() > purgedAt || undefined);
    expect((await worker(2).ask('Rome')).status).toBe('MISS');
    expect(runQuery.requests).toHaveLength(2);
  });

  it('fails where the primary does not answer, and has purged what this one keeps', async () => {
    await open(2, { answerMs: 20 });
    await worker(0).ask('Rome');
    await worker(1).ask('Rome');
    worker(0).silence();
    await expect(worker(0).cache.purge({})).rejects.toMatchObject({
      code: 'PURGE_INCOMPLETE',
      status: 503,
      details: { retryAfterSeconds: 1 },
    });
    expect(workers.map(({ cache }) => cache.memory.use().size)).toEqual([0, 1]);
    worker(0).resume();
    await worker(0).cache.purge({});
    expect(workers.map(({ cache }) => cache.memory.use().size)).toEqual([0, 0]);
  });

  it('keeps out the answer of a query that began before it', async () => {
    const held = holdQueries(runQuery);
    await open(2);
    const asked = await askEverywhere();
    await worker(1).cache.purge({});
    held.answer([{ city: 'Rome' }]);
    await untilAsked(2);
    held.answer([{ city: 'Rome, later' }]);
    const [, other] = await Promise.all(asked);
    expect(other && textOf(other)).toBe('{"result":[{"city":"Rome, later"}]}');
  });
});

describe('warming', () => {
  const WARMED = { endpoint: sampleEndpoint({ warming: 300 }) };
  const leaders = (): readonly TestWorker[] => workers.filter(({ cache }) => cache.isLeader());
  const meet = (): Promise<unknown> => Promise.all(workers.map(({ cache }) => cache.keepInTouch()));

  it('is done by one worker, and by another as soon as that one has gone', async () => {
    await open(3, WARMED);
    await meet();
    const [leader, ...more] = leaders();
    expect(more).toEqual([]);
    leader?.member.leave();
    workers = workers.filter((other) => other !== leader);
    await meet();
    expect(leaders()).toHaveLength(1);
    await leader?.close();
  });

  it('knows what all were asked, and what it refreshes is a hit for all', async () => {
    let ahead = 0;
    const clock = (): Date => new Date(Date.now() + ahead);
    primary = new TestPrimary(clock);
    await open(3, { ...WARMED, clock });
    await meet();
    const [leader] = leaders();
    const asked = workers.filter((one) => one !== leader);
    for (const { ask } of asked) await ask('Rome');
    await meet();
    ahead = 301_000;
    runQuery.answer([{ city: 'warmed' }]);
    await meet();
    await leader?.warmer.idle();
    await leader?.warmer.tick();
    await settle();
    expect(runQuery.requests.map(({ requestId }) => requestId.slice(0, 8))).toEqual(['test-exe', 'warming-']);
    for (const { ask } of workers) {
      const answered = await ask('Rome');
      expect([answered.status, textOf(answered)]).toEqual(['HIT', '{"result":[{"city":"warmed"}]}']);
    }
  });

  it('is done by each worker while the primary is silent', async () => {
    await open(2, { ...WARMED, answerMs: 20 });
    await meet();
    for (const { silence } of workers) silence();
    await meet();
    expect(leaders()).toHaveLength(2);
    for (const { resume } of workers) resume();
  });
});
