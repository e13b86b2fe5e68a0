import type { RunQuery } from '../../../src/query/ports.js';
import { SingleFlight } from '../../../src/query/single-flight.js';
import { QueryQueue } from '../../../src/scheduler/query-queue.js';
import { FakeRunQuery } from '../../support/fake-run-query.js';
import { delayQueries, type PendingQueries } from '../../support/pending-queries.js';
import { ManualTimers, settled } from './manual-timers.js';
import { sampleRequest } from './sample-request.js';

const MAX_WAIT_MS = 5000;
const BUSY = { code: 'GATEWAY_BUSY', status: 503, details: { retryAfterSeconds: 1 } };

describe('QueryQueue, with a query that several callers share', () => {
  let runQuery: FakeRunQuery;
  let delayed: PendingQueries;
  let timers: ManualTimers;
  let queue: QueryQueue;
  let run: RunQuery;
  let singleFlight: SingleFlight<unknown>;

  const open = (slots: number, maxWaiting = 8): void => {
    queue = new QueryQueue({ slots, maxWaiting, maxWaitMs: MAX_WAIT_MS, setTimer: timers.setTimer });
    run = queue.limit(runQuery.run);
  };
  beforeEach(() => {
    timers = new ManualTimers();
    singleFlight = new SingleFlight();
    runQuery = new FakeRunQuery();
    delayed = delayQueries(runQuery);
    open(2);
  });
  const ran = (): string => runQuery.requests.map(({ requestId }) => requestId).join(' ');
  /** Requests one query after another; each is named by its lane and a number. */
  const send = (names: string, priority: 'interactive' | 'warming' = 'interactive'): Promise<unknown>[] =>
    names.split(' ').map((name) => {
      const running = run(sampleRequest(name, { lane: name.slice(0, 1), priority }));
      running.catch(() => undefined);
      return running;
    });
  const finishAll = async (): Promise<void> => {
    while (queue.figures.running > 0) {
      delayed.finish([]);
      await settled();
    }
  };
  /** Requests the query of that name for a caller of a lane, or joins it. */
  const join = (name: string, lane: string, priority: 'interactive' | 'warming' = 'interactive') => {
    const controller = new AbortController();
    const caller = { signal: controller.signal, requester: { lane, priority } };
    const joined = singleFlight.join(name, caller, ({ signal, requester }) =>
      run({ ...sampleRequest(name, {}, signal), requester }),
    );
    joined.catch(() => undefined);
    return { controller, joined };
  };

  it('runs it once, when the lane of any caller is next', async () => {
    open(1, 100);
    void send('a1 a2 a3 a4');
    join('shared', 'a');
    join('shared', 'b');
    void send('b1 c1');
    await finishAll();
    expect(ran()).toBe('a1 a2 shared c1 a3 b1 a4');
  });

  it('does not delay it when a follower of a longer lane joins', async () => {
    open(1, 100);
    void send('x1 b1 b2 b3');
    join('shared', 'a');
    join('shared', 'b');
    await finishAll();
    expect(ran()).toBe('x1 b1 shared b2 b3');
  });

  it('sheds another query of the leader’s lane instead', async () => {
    open(1, 2);
    const [, a2] = send('a1 a2');
    const [leader, follower] = [join('shared', 'a'), join('shared', 'b')];
    void send('c1');
    await expect(a2).rejects.toMatchObject(BUSY);
    await finishAll();
    expect(ran()).toBe('a1 shared c1');
    await Promise.all([leader.joined, follower.joined]);
  });

  it('sheds it for all callers, who do not retry, if each of its lanes is longer than the new query’s lane', async () => {
    open(1, 2);
    void send('x1');
    const shared = ['s1', 's2'].flatMap((name) => [join(name, 'a'), join(name, 'b')]);
    void send('c1');
    await expect(shared[2]?.joined).rejects.toMatchObject(BUSY);
    await expect(shared[3]?.joined).rejects.toMatchObject(BUSY);
    await finishAll();
    expect(ran()).toBe('x1 s1 c1');
  });

  it('lets a follower wait as long as it could alone, after the leader’s wait has ended', async () => {
    open(1);
    void send('x1');
    const leader = join('shared', 'a');
    await timers.advance(MAX_WAIT_MS - 1);
    const follower = join('shared', 'b');
    await timers.advance(1);
    await expect(leader.joined).rejects.toMatchObject(BUSY);
    await timers.advance(MAX_WAIT_MS - 2);
    expect(queue.figures.waiting).toBe(1);
    await timers.advance(1);
    await expect(follower.joined).rejects.toMatchObject(BUSY);
    expect([queue.figures.waiting, timers.size]).toEqual([0, 0]);
    await finishAll();
    expect(ran()).toBe('x1');
  });

  it('removes it from the lane of a caller that disconnects', async () => {
    open(1, 100);
    void send('a1 a2');
    const leader = join('shared', 'a');
    join('shared', 'b');
    void send('a3 b1');
    leader.controller.abort(new Error('disconnected'));
    await finishAll();
    expect(ran()).toBe('a1 a2 shared a3 b1');
  });

  it('starts a queued refresh in the slot reserved for callers as soon as a caller joins it', async () => {
    void send('w1', 'warming');
    const refresh = join('refresh', 'w', 'warming');
    expect([ran(), queue.figures.waiting]).toEqual(['w1', 1]);
    const caller = join('refresh', 'a');
    await settled();
    expect([ran(), queue.figures.waiting]).toEqual(['w1 refresh', 0]);
    await finishAll();
    await Promise.all([refresh.joined, caller.joined]);
  });

  it('moves a queued refresh ahead of other warming while a caller waits for it', async () => {
    open(1, 100);
    void send('a1');
    void send('w1', 'warming');
    for (const name of ['joined', 'abandoned']) join(name, 'w', 'warming');
    join('joined', 'b');
    const { controller } = join('abandoned', 'b');
    expect(queue.figures.waitingInteractive).toBe(2);
    controller.abort(new Error('disconnected'));
    await settled();
    expect(queue.figures).toEqual({ running: 1, waiting: 3, waitingInteractive: 1 });
    await finishAll();
    expect(ran()).toBe('a1 joined w1 abandoned');
  });
});
