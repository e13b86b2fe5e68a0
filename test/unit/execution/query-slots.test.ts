import { QuerySlots } from '../../../src/execution/query-slots.js';
import type { QueryRequest } from '../../../src/execution/ports.js';
import { FakeRunQuery } from '../../support/fake-run-query.js';
import { holdQueries } from '../../support/held-query.js';

const request = (requestId: string, signal = new AbortController().signal): QueryRequest => ({
  query: { text: 'SELECT 1', parameters: {} },
  columns: new Map(),
  rowCap: 1,
  requestId,
  signal,
});

describe('QuerySlots', () => {
  let runQuery: FakeRunQuery;
  let slots: QuerySlots;

  beforeEach(() => {
    runQuery = new FakeRunQuery();
    slots = new QuerySlots({ slots: 2, maxWaiting: 8, maxWaitMs: 10_000 });
  });
  const ran = (): readonly string[] => runQuery.requests.map(({ requestId }) => requestId);

  it('runs so many at a time, the others in the order in which they came', async () => {
    const held = holdQueries(runQuery);
    const run = slots.limit(runQuery.run);
    const all = ['a', 'b', 'c', 'd', 'e'].map((id) => run(request(id)));
    expect([ran(), slots.waiting]).toEqual([['a', 'b'], 3]);
    held.answer([]);
    await Promise.all(all.slice(0, 2));
    expect([ran(), slots.waiting]).toEqual([['a', 'b', 'c', 'd'], 1]);
    held.answer([]);
    await Promise.all(all.slice(0, 4));
    held.answer([]);
    await Promise.all(all);
    expect(ran()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('gives a failed query’s place to the next', async () => {
    const run = slots.limit(runQuery.run);
    runQuery.fail(new Error('no'));
    await Promise.allSettled(Array.from({ length: 10 }, (_each, n) => run(request(String(n)))));
    expect([runQuery.requests.length, slots.waiting]).toEqual([10, 0]);
    runQuery.answer([]);
    await run(request('after'));
  });

  it('never runs one whose caller leaves while it waits, and gives its place to nobody', async () => {
    const held = holdQueries(runQuery);
    const run = slots.limit(runQuery.run);
    const running = ['a', 'b'].map((id) => run(request(id)));
    const leaving = new AbortController();
    const left = run(request('left', leaving.signal));
    const next = run(request('next'));
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(slots.waiting).toBe(1);
    held.answer([]);
    await Promise.all(running);
    held.answer([]);
    await next;
    expect(ran()).toEqual(['a', 'b', 'next']);
  });

  it('never runs one whose caller has left before', async () => {
    const run = slots.limit(runQuery.run);
    await expect(run(request('late', AbortSignal.abort(new Error('gone'))))).rejects.toThrow('gone');
    expect(ran()).toEqual([]);
  });

  it('refuses one more than may wait, at once, as busy', async () => {
    const held = holdQueries(runQuery);
    const run = slots.limit(runQuery.run);
    const taken = Array.from({ length: 10 }, (_each, n) => run(request(String(n))));
    await expect(run(request('one more'))).rejects.toMatchObject({ code: 'CLICKHOUSE_BUSY', status: 503 });
    while (ran().length < 10) {
      held.answer([]);
      await Promise.resolve();
    }
    held.answer([]);
    await Promise.all(taken);
  });

  it('refuses one that has waited for too long, as busy, and never runs it', async () => {
    const held = holdQueries(runQuery);
    const run = new QuerySlots({ slots: 1, maxWaiting: 8, maxWaitMs: 1 }).limit(runQuery.run);
    const running = run(request('a'));
    await expect(run(request('b'))).rejects.toMatchObject({ code: 'CLICKHOUSE_BUSY' });
    held.answer([]);
    await running;
    expect(ran()).toEqual(['a']);
  });
});
