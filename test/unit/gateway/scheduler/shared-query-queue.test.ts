import { SingleFlight } from '../../../../src/gateway/query/single-flight.js';
import { settled } from './manual-timers.js';
import { BUSY, MAX_WAIT_MS, QueueUnderTest } from './queue-under-test.js';
import { sampleRequest } from './sample-request.js';

describe('QueryQueue, with a query that several callers share', () => {
  let singleFlight: SingleFlight<unknown>;
  let { queue, timers, run, ran, send, finishAll } = new QueueUnderTest();
  const open = (slots?: number, maxWaiting?: number): void => {
    ({ queue, timers, run, ran, send, finishAll } = new QueueUnderTest(slots, maxWaiting));
  };
  beforeEach(() => {
    singleFlight = new SingleFlight();
    open();
  });
  /** Requests the query of that name for a caller of a lane, or joins it. */
  const requestShared = (name: string, lane: string, priority: 'interactive' | 'warming' = 'interactive') => {
    const abort = new AbortController();
    const caller = { signal: abort.signal, requester: { lane, priority } };
    const result = singleFlight.join(name, caller, ({ signal, requester }) =>
      run({ ...sampleRequest(name, {}, signal), requester }),
    );
    result.catch(() => undefined);
    const disconnect = (): void => {
      abort.abort(new Error('disconnected'));
    };
    return { disconnect, result };
  };

  it('runs it once, when the lane of any caller is next', async () => {
    open(1, 100);
    void send('a1 a2 a3 a4');
    requestShared('shared', 'a');
    requestShared('shared', 'b');
    void send('b1 c1');
    await finishAll();
    expect(ran()).toBe('a1 a2 shared c1 a3 b1 a4');
  });

  it('does not delay it when a follower of a longer lane joins', async () => {
    open(1, 100);
    void send('x1 b1 b2 b3');
    requestShared('shared', 'a');
    requestShared('shared', 'b');
    await finishAll();
    expect(ran()).toBe('x1 b1 shared b2 b3');
  });

  it('sheds another query of the leader’s lane, not the shared one', async () => {
    open(1, 2);
    const [, a2] = send('a1 a2');
    const [leader, follower] = [requestShared('shared', 'a'), requestShared('shared', 'b')];
    void send('c1');
    await expect(a2).rejects.toMatchObject(BUSY);
    await finishAll();
    expect(ran()).toBe('a1 shared c1');
    await Promise.all([leader.result, follower.result]);
  });

  it('sheds it if each of its lanes is longer than the new query’s, and no caller retries', async () => {
    open(1, 2);
    void send('x1');
    const shared = ['s1', 's2'].flatMap((name) => [requestShared(name, 'a'), requestShared(name, 'b')]);
    void send('c1');
    await expect(shared[2]?.result).rejects.toMatchObject(BUSY);
    await expect(shared[3]?.result).rejects.toMatchObject(BUSY);
    await finishAll();
    expect(ran()).toBe('x1 s1 c1');
  });

  it('gives a follower its own full wait, even after the leader’s wait has ended', async () => {
    open(1);
    void send('x1');
    const leader = requestShared('shared', 'a');
    await timers.advance(MAX_WAIT_MS - 1);
    const follower = requestShared('shared', 'b');
    await timers.advance(1);
    await expect(leader.result).rejects.toMatchObject(BUSY);
    await timers.advance(MAX_WAIT_MS - 2);
    expect(queue.figures.waiting).toBe(1);
    await timers.advance(1);
    await expect(follower.result).rejects.toMatchObject(BUSY);
    expect([queue.figures.waiting, timers.size]).toEqual([0, 0]);
    await finishAll();
    expect(ran()).toBe('x1');
  });

  it('removes the query from the lane of a caller that disconnected', async () => {
    open(1, 100);
    void send('a1 a2');
    const leader = requestShared('shared', 'a');
    requestShared('shared', 'b');
    void send('a3 b1');
    leader.disconnect();
    await finishAll();
    expect(ran()).toBe('a1 a2 shared a3 b1');
  });

  it('runs a queued refresh in the last slot once a caller joins it', async () => {
    void send('w1', 'warming');
    const refresh = requestShared('refresh', 'w', 'warming');
    expect([ran(), queue.figures.waiting]).toEqual(['w1', 1]);
    const caller = requestShared('refresh', 'a');
    await settled();
    expect([ran(), queue.figures.waiting]).toEqual(['w1 refresh', 0]);
    await finishAll();
    await Promise.all([refresh.result, caller.result]);
  });

  it('moves a queued refresh ahead of other warming while a caller waits for it', async () => {
    open(1, 100);
    void send('a1');
    void send('w1', 'warming');
    for (const name of ['joined', 'abandoned']) requestShared(name, 'w', 'warming');
    requestShared('joined', 'b');
    const { disconnect } = requestShared('abandoned', 'b');
    expect(queue.figures.waitingInteractive).toBe(2);
    disconnect();
    await settled();
    expect(queue.figures).toEqual({ running: 1, waiting: 3, waitingInteractive: 1 });
    await finishAll();
    expect(ran()).toBe('a1 joined w1 abandoned');
  });
});
