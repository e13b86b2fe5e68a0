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
  let held: PendingQueries;
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
    held = delayQueries(runQuery);
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
      held.finish([]);
      await settled();
    }
  };
  /** Requests the query of that name for a caller of a lane, or joins it. */
  const share = (name: string, lane: string, priority: 'interactive' | 'warming' = 'interactive') => {
    const leaving = new AbortController();
    const caller = { signal: leaving.signal, requester: { lane, priority } };
    const sharing = singleFlight.join(name, caller, ({ signal, requester }) =>
      run({ ...sampleRequest(name, {}, signal), requester }),
    );
    sharing.catch(() => undefined);
    return { leaving, sharing };
  };

  it('runs it once, when the lane of any caller is next', async () => {
    open(1, 100);
    void send('a1 a2 a3 a4');
    share('shared', 'a');
    share('shared', 'b');
    void send('b1 c1');
    await finishAll();
    expect(ran()).toBe('a1 a2 shared c1 a3 b1 a4');
  });

  it('does not delay it when a follower of a longer lane joins', async () => {
    open(1, 100);
    void send('x1 b1 b2 b3');
    share('shared', 'a');
    share('shared', 'b');
    await finishAll();
    expect(ran()).toBe('x1 b1 shared b2 b3');
  });

  it('sheds another query of the leader’s lane instead', async () => {
    open(1, 2);
    const [, a2] = send('a1 a2');
    const [leader, follower] = [share('shared', 'a'), share('shared', 'b')];
    void send('c1');
    await expect(a2).rejects.toMatchObject(BUSY);
    await finishAll();
    expect(ran()).toBe('a1 shared c1');
    await Promise.all([leader.sharing, follower.sharing]);
  });

  it('sheds it if each of its lanes is longer than the new query’s, and no caller retries', async () => {
    open(1, 2);
    void send('x1');
    const shared = ['s1', 's2'].flatMap((name) => [share(name, 'a'), share(name, 'b')]);
    void send('c1');
    await expect(shared[2]?.sharing).rejects.toMatchObject(BUSY);
    await expect(shared[3]?.sharing).rejects.toMatchObject(BUSY);
    await finishAll();
    expect(ran()).toBe('x1 s1 c1');
  });

  it('lets a follower wait as long as it could alone, after the leader’s wait has ended', async () => {
    open(1);
    void send('x1');
    const leader = share('shared', 'a');
    await timers.advance(MAX_WAIT_MS - 1);
    const follower = share('shared', 'b');
    await timers.advance(1);
    await expect(leader.sharing).rejects.toMatchObject(BUSY);
    await timers.advance(MAX_WAIT_MS - 2);
    expect(queue.figures.waiting).toBe(1);
    await timers.advance(1);
    await expect(follower.sharing).rejects.toMatchObject(BUSY);
    expect([queue.figures.waiting, timers.size]).toEqual([0, 0]);
    await finishAll();
    expect(ran()).toBe('x1');
  });

  it('leaves the lane of a caller that left', async () => {
    open(1, 100);
    void send('a1 a2');
    const leader = share('shared', 'a');
    share('shared', 'b');
    void send('a3 b1');
    leader.leaving.abort(new Error('left'));
    await finishAll();
    expect(ran()).toBe('a1 a2 shared a3 b1');
  });

  it('gives a queued refresh that a caller joins the slot that warming leaves free', async () => {
    void send('w1', 'warming');
    const refresh = share('refresh', 'w', 'warming');
    expect([ran(), queue.figures.waiting]).toEqual(['w1', 1]);
    const caller = share('refresh', 'a');
    await settled();
    expect([ran(), queue.figures.waiting]).toEqual(['w1 refresh', 0]);
    await finishAll();
    await Promise.all([refresh.sharing, caller.sharing]);
  });

  it('moves a queued refresh ahead of other warming while a caller waits for it', async () => {
    open(1, 100);
    void send('a1');
    void send('w1', 'warming');
    for (const name of ['joined', 'left']) share(name, 'w', 'warming');
    share('joined', 'b');
    const { leaving } = share('left', 'b');
    expect(queue.figures.waitingInteractive).toBe(2);
    leaving.abort(new Error('left'));
    await settled();
    expect(queue.figures).toEqual({ running: 1, waiting: 3, waitingInteractive: 1 });
    await finishAll();
    expect(ran()).toBe('a1 joined w1 left');
  });
});
