import { settled } from './manual-timers.js';
import { BUSY, MAX_WAIT_MS, QueueUnderTest } from './queue-under-test.js';
import { sampleRequest } from './sample-request.js';

describe('QueryQueue', () => {
  let { queue, timers, runQuery, pending, run, ran, send, finishAll } = new QueueUnderTest();
  const open = (...options: ConstructorParameters<typeof QueueUnderTest>): void => {
    ({ queue, timers, runQuery, pending, run, ran, send, finishAll } = new QueueUnderTest(...options));
  };
  beforeEach(() => {
    open();
  });

  it('runs a bounded number of queries at a time, and those of a lane in order of arrival', async () => {
    void send('a1 a2 a3 a4 a5');
    expect([ran(), queue.figures]).toEqual(['a1 a2', { running: 2, waiting: 3, waitingInteractive: 3 }]);
    pending.finish([]);
    await settled();
    expect(ran()).toBe('a1 a2 a3 a4');
    await finishAll();
    expect([ran(), queue.figures]).toEqual([
      'a1 a2 a3 a4 a5',
      { running: 0, waiting: 0, waitingInteractive: 0 },
    ]);
    expect(timers.size).toBe(0);
  });

  it('serves the lanes round robin, however many queries wait in one', async () => {
    open(1, 100);
    void send('a1 a2 a3 a4 a5 b1 b2 c1');
    await finishAll();
    expect(ran()).toBe('a1 a2 b1 c1 a3 b2 a4 a5');
  });

  it('gives no slot to a lane that has its share while another waits', async () => {
    open(4, 100, 2);
    void send('a1 a2 a3 a4 a5 a6 b1 c1');
    await finishAll();
    expect(ran()).toBe('a1 a2 a3 a4 b1 c1 a5 a6');
  });

  it('gives the slot of a failed query to the next', async () => {
    runQuery.fail(new Error('no'));
    await Promise.allSettled(send('a1 a2 a3 a4 b1 b2'));
    expect([runQuery.requests.length, queue.figures.running]).toEqual([6, 0]);
  });

  it('never runs a query whose caller leaves while it waits', async () => {
    void send('a1 a2');
    const leaving = new AbortController();
    const left = run(sampleRequest('left', {}, leaving.signal));
    void send('b1');
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    expect([queue.figures.waiting, timers.size]).toEqual([1, 1]);
    await finishAll();
    expect(ran()).toBe('a1 a2 b1');
  });

  it('never runs a query whose caller has already left', async () => {
    await expect(run(sampleRequest('late', {}, AbortSignal.abort(new Error('left'))))).rejects.toThrow(
      'left',
    );
    expect(ran()).toBe('');
  });

  it('rejects a query that waits too long, and never runs it', async () => {
    const [, , late] = send('a1 a2 a3');
    await timers.advance(MAX_WAIT_MS - 1);
    expect(queue.figures.waiting).toBe(1);
    await timers.advance(1);
    await expect(late).rejects.toMatchObject(BUSY);
    await finishAll();
    expect(ran()).toBe('a1 a2');
  });

  describe('when it is full', () => {
    it('rejects a new query of the longest lane at once', async () => {
      open(2, 3);
      void send('a1 a2 a3 a4 a5');
      await expect(send('a6')[0]).rejects.toMatchObject(BUSY);
      expect(queue.figures.waiting).toBe(3);
    });

    it('sheds the newest query of the longest lane for a query of a shorter lane', async () => {
      open(2, 3);
      const flood = send('a1 a2 a3 a4 a5');
      void send('b1');
      await expect(flood[4]).rejects.toMatchObject(BUSY);
      expect(queue.figures.waiting).toBe(3);
      await finishAll();
      expect(ran()).toBe('a1 a2 a3 b1 a4');
    });

    it('counts running queries: a lane with all slots does not fill the queue too', async () => {
      open(2, 1);
      const flood = send('a1 a2 a3');
      void send('b1');
      await expect(flood[2]).rejects.toMatchObject(BUSY);
      await expect(send('a4')[0]).rejects.toMatchObject(BUSY);
      await finishAll();
      expect(ran()).toBe('a1 a2 b1');
    });

    it('rejects the new query if no other lane is longer than its own', async () => {
      open(1, 2);
      void send('a1 b1 c1');
      await expect(send('d1')[0]).rejects.toMatchObject(BUSY);
    });

    it('sheds warming for any caller, and no query for warming', async () => {
      open(2, 2);
      void send('a1 a2 a3');
      const [warming] = send('w1', 'warming');
      void send('a4');
      await expect(warming).rejects.toMatchObject(BUSY);
      await expect(send('w2', 'warming')[0]).rejects.toMatchObject(BUSY);
      await finishAll();
      expect(ran()).toBe('a1 a2 a3 a4');
    });
  });

  describe('warming', () => {
    it('leaves the last slot free', async () => {
      void send('w1 w2', 'warming');
      expect([ran(), queue.figures]).toEqual(['w1', { running: 1, waiting: 1, waitingInteractive: 0 }]);
      void send('a1');
      expect(ran()).toBe('w1 a1');
      await finishAll();
      expect(ran()).toBe('w1 a1 w2');
    });

    it('runs when no interactive query waits', async () => {
      void send('a1 a2');
      void send('w1', 'warming');
      void send('a3 a4');
      await finishAll();
      expect(ran()).toBe('a1 a2 a3 a4 w1');
    });

    it('takes the only slot if there is just one', async () => {
      open(1);
      void send('w1', 'warming');
      expect(ran()).toBe('w1');
      await finishAll();
    });
  });
});
