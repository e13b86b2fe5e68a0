import { holdQueries } from '../../support/held-query.js';
import { pollUntil } from '../../support/poll-until.js';
import { sampleEndpoint } from '../../support/sample-endpoint.js';
import { TestPrimary } from '../../support/test-workers.js';
import { textOf, WorkersAsOne, type TestWorker } from '../../support/workers-as-one.js';

let given: WorkersAsOne;
beforeEach(() => {
  given = new WorkersAsOne();
});
afterEach(() => given.close());

describe('an answer that is replaced in one worker', () => {
  it('is the answer of those that held the one from before, and of no others', async () => {
    given.runQuery.answer([{ city: 'old' }]);
    await given.open(3);
    await given.worker(0).ask('Rome');
    await given.worker(1).ask('Rome');
    given.runQuery.answer([{ city: 'new' }]);
    await given.worker(0).ask('Rome', { demand: 'fresh' });
    await given.settle();
    const kept = given.workers.map(({ cache }) => [...cache.memory.use().values()].length);
    expect(kept).toEqual([1, 1, 0]);
    const next = await Promise.all(given.workers.map(({ ask }) => ask('Rome')));
    expect(next.map((answered) => [answered.status, textOf(answered)])).toEqual(
      Array(3).fill(['HIT', '{"result":[{"city":"new"}]}']),
    );
    expect(given.runQuery.requests).toHaveLength(2);
  });
});

describe('a purge in one worker', () => {
  it('has reached all of them, and the primary, when it is over', async () => {
    await given.open(3);
    for (const { ask } of given.workers) await ask('Rome');
    await given.worker(1).cache.purge({});
    expect(given.workers.map(({ cache }) => cache.memory.use().size)).toEqual([0, 0, 0]);
    // A query begins at a later millisecond than the purge.
    const purgedAt = Date.now();
    await pollUntil('the clock goes on', () => Date.now() > purgedAt || undefined);
    expect((await given.worker(2).ask('Rome')).status).toBe('MISS');
    expect(given.runQuery.requests).toHaveLength(2);
  });

  it('fails where the primary does not answer, and has purged what this one keeps', async () => {
    await given.open(2, { answerMs: 20 });
    await given.worker(0).ask('Rome');
    await given.worker(1).ask('Rome');
    given.worker(0).silence();
    await expect(given.worker(0).cache.purge({})).rejects.toMatchObject({
      code: 'PURGE_INCOMPLETE',
      status: 503,
      details: { retryAfterSeconds: 1 },
    });
    expect(given.workers.map(({ cache }) => cache.memory.use().size)).toEqual([0, 1]);
    given.worker(0).resume();
    await given.worker(0).cache.purge({});
    expect(given.workers.map(({ cache }) => cache.memory.use().size)).toEqual([0, 0]);
  });

  it('keeps out the answer of a query that began before it', async () => {
    const held = holdQueries(given.runQuery);
    await given.open(2);
    const asked = await given.askEverywhere();
    await given.worker(1).cache.purge({});
    held.answer([{ city: 'Rome' }]);
    await given.untilAsked(2);
    held.answer([{ city: 'Rome, later' }]);
    const [, other] = await Promise.all(asked);
    expect(other && textOf(other)).toBe('{"result":[{"city":"Rome, later"}]}');
  });
});

describe('warming', () => {
  const WARMED = { endpoint: sampleEndpoint({ warming: 300 }) };
  const leaders = (): readonly TestWorker[] => given.workers.filter(({ cache }) => cache.isLeader());
  const meet = (): Promise<unknown> => Promise.all(given.workers.map(({ cache }) => cache.keepInTouch()));

  it('is done by one worker, and by another as soon as that one has gone', async () => {
    await given.open(3, WARMED);
    await meet();
    const [leader, ...more] = leaders();
    expect(more).toEqual([]);
    leader?.member.leave();
    given.workers = given.workers.filter((other) => other !== leader);
    await meet();
    expect(leaders()).toHaveLength(1);
    await leader?.close();
  });

  it('knows what all were asked, and what it refreshes is a hit for all', async () => {
    let ahead = 0;
    const clock = (): Date => new Date(Date.now() + ahead);
    given.primary = new TestPrimary(clock);
    await given.open(3, { ...WARMED, clock });
    await meet();
    const [leader] = leaders();
    const asked = given.workers.filter((one) => one !== leader);
    for (const { ask } of asked) await ask('Rome');
    await meet();
    ahead = 301_000;
    given.runQuery.answer([{ city: 'warmed' }]);
    await meet();
    await leader?.warmer.idle();
    await leader?.warmer.tick();
    await given.settle();
    expect(given.runQuery.requests.map(({ requestId }) => requestId.slice(0, 8))).toEqual([
      'test-exe',
      'warming-',
    ]);
    for (const { ask } of given.workers) {
      const answered = await ask('Rome');
      expect([answered.status, textOf(answered)]).toEqual(['HIT', '{"result":[{"city":"warmed"}]}']);
    }
  });

  it('is done by each worker while the primary is silent', async () => {
    await given.open(2, { ...WARMED, answerMs: 20 });
    await meet();
    for (const { silence } of given.workers) silence();
    await meet();
    expect(leaders()).toHaveLength(2);
    for (const { resume } of given.workers) resume();
  });
});
