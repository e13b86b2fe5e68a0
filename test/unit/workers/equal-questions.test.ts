import { Failure } from '../../../src/errors.js';
import { holdQueries } from '../../support/held-query.js';
import { textOf, WorkersAsOne } from '../../support/workers-as-one.js';

let given: WorkersAsOne;
beforeEach(() => {
  given = new WorkersAsOne();
});
afterEach(() => given.close());

describe('equal questions in several workers', () => {
  it('cause one query, and all get the same bytes', async () => {
    const held = holdQueries(given.runQuery);
    await given.open(3);
    const asked = await given.askEverywhere();
    held.answer([{ city: 'Rome' }]);
    const answers = await Promise.all(asked);
    expect(given.runQuery.requests).toHaveLength(1);
    expect(new Set(answers.map(textOf))).toEqual(new Set(['{"result":[{"city":"Rome"}]}']));
    expect(answers.map(({ collapsed }) => collapsed)).toEqual([false, true, true]);
  });

  it('cause one query for a thousand at once, whatever the order', async () => {
    await given.open(3);
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(
        given.workers.flatMap(({ ask }) => Array.from({ length: 333 }, () => ask(`city ${round}`))),
      );
      expect(given.runQuery.requests).toHaveLength(round + 1);
    }
  });

  it('are hits everywhere once one worker was told the answer', async () => {
    await given.open(2);
    await given.worker(0).ask('Rome');
    expect((await given.worker(1).ask('Rome')).status).toBe('HIT');
    expect(given.worker(1).cache.memory.use().size).toBe(1);
    expect(given.runQuery.requests).toHaveLength(1);
  });

  it('are hits in a worker that began after the one that asked has gone', async () => {
    await given.open(1);
    await given.worker(0).ask('Rome');
    await given.settle();
    given.worker(0).member.leave();
    await given.open(1);
    expect((await given.worker(1).ask('Rome')).status).toBe('HIT');
  });

  it('get the failure of the one that asked; it is not cached', async () => {
    const held = holdQueries(given.runQuery);
    await given.open(3);
    const asked = await given.askEverywhere();
    held.fail(new Failure('CLICKHOUSE_BUSY', 'ClickHouse is busy.', { retryAfterSeconds: 7 }));
    for (const { reason } of (await Promise.allSettled(asked)) as PromiseRejectedResult[]) {
      expect(reason).toMatchObject({
        code: 'CLICKHOUSE_BUSY',
        message: 'ClickHouse is busy.',
        details: { retryAfterSeconds: 7 },
      });
    }
    given.runQuery.answer([{ city: 'Rome' }]);
    expect((await given.worker(1).ask('Rome')).status).toBe('MISS');
    expect(given.runQuery.requests).toHaveLength(2);
  });

  it('are asked by the next one when the caller that asks has gone', async () => {
    holdQueries(given.runQuery);
    await given.open(2);
    const leaving = new AbortController();
    const left = given.worker(0).ask('Rome', { signal: leaving.signal });
    await given.untilAsked(1);
    const stayed = given.worker(1).ask('Rome');
    await given.settle();
    await given.settle();
    given.runQuery.answer([{ city: 'Rome' }]);
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect((await stayed).status).toBe('MISS');
    expect(given.runQuery.requests).toHaveLength(2);
  });

  it('are asked by exactly one of the others when the worker that asks dies', async () => {
    const held = holdQueries(given.runQuery);
    await given.open(3);
    const [, ...others] = await given.askEverywhere();
    given.runQuery.answer([{ city: 'Rome' }]);
    given.worker(0).member.leave();
    const answers = await Promise.all(others);
    expect(answers.map(textOf)).toEqual(Array(2).fill('{"result":[{"city":"Rome"}]}'));
    expect(given.runQuery.requests).toHaveLength(2);
    held.fail(new Error('its process has ended'));
  });

  it('are waited for as long as a query and its wait for a place may take, and no longer', async () => {
    const held = holdQueries(given.runQuery);
    await given.open(2, { environment: { QUERY_TIMEOUT_SECONDS: '0.2', QUEUE_TIMEOUT_SECONDS: '0.4' } });
    const began = performance.now();
    const [, other] = await given.askEverywhere();
    given.runQuery.answer([{ city: 'Rome' }]);
    expect((await other)?.status).toBe('MISS');
    expect(given.runQuery.requests).toHaveLength(2);
    expect(performance.now() - began).toBeGreaterThan(590);
    held.answer([]);
  });

  it('are asked for all by one that waited in vain, so that none waits for a worker that hangs', async () => {
    await given.open(3, { environment: { QUERY_TIMEOUT_SECONDS: '0.5', QUEUE_TIMEOUT_SECONDS: '0.5' } });
    const never = holdQueries(given.runQuery);
    const first = given.worker(0).ask('Rome');
    await given.untilAsked(1);
    const held = holdQueries(given.runQuery);
    const overdue = given.worker(1).ask('Rome');
    await given.untilAsked(2);
    const later = given.worker(2).ask('Rome');
    await given.settle();
    await given.settle();
    held.answer([{ city: 'Rome' }]);
    expect((await overdue).status).toBe('MISS');
    expect((await later).collapsed).toBe(true);
    expect(given.runQuery.requests).toHaveLength(2);
    never.answer([]);
    await first;
  });

  it('are asked by each worker where the primary is silent', async () => {
    await given.open(2, { answerMs: 20 });
    for (const { silence } of given.workers) silence();
    const answers = await Promise.all(given.workers.map(({ ask }) => ask('Rome')));
    expect(answers.map(({ status }) => status)).toEqual(['MISS', 'MISS']);
    expect(given.runQuery.requests).toHaveLength(2);
    for (const { resume } of given.workers) resume();
  });
});
