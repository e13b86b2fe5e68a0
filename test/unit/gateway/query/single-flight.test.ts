import { Failure, type ErrorCode } from '../../../../src/gateway/errors.js';
import type { Requester, WaitingCaller } from '../../../../src/gateway/query/ports.js';
import {
  SingleFlight,
  type SingleFlightCaller,
  type SingleFlightContext,
} from '../../../../src/gateway/query/single-flight.js';

interface StartedWork extends SingleFlightContext {
  readonly resolve: (value: string) => void;
  readonly reject: (error: Error) => void;
}

describe('SingleFlight', () => {
  let singleFlight: SingleFlight<string>;
  let started: StartedWork[];
  const staying: SingleFlightCaller = { signal: new AbortController().signal };

  beforeEach(() => {
    singleFlight = new SingleFlight();
    started = [];
  });

  const work = (context: SingleFlightContext): Promise<string> =>
    new Promise((resolve, reject) => started.push({ ...context, resolve, reject }));
  const only = (): StartedWork => {
    const [first, ...more] = started;
    if (!first || more.length > 0) throw new Error(`${started.length} run`);
    return first;
  };

  it('runs the work of a key once, and returns to each caller whether it joined, and how many waited', async () => {
    const all = ['a', 'a', 'a'].map((key) => singleFlight.join(key, staying, work));
    only().resolve('done');
    expect(await Promise.all(all)).toEqual([
      { value: 'done', joined: false, callers: 3 },
      { value: 'done', joined: true, callers: 3 },
      { value: 'done', joined: true, callers: 3 },
    ]);
    expect(singleFlight).toEqual(new SingleFlight());
  });

  it('runs the work of each key separately, and again after it has ended', async () => {
    const all = ['a', 'b'].map((key) => singleFlight.join(key, staying, work));
    for (const { resolve } of started) resolve('done');
    await Promise.all(all);
    const again = singleFlight.join('a', staying, work);
    expect(started).toHaveLength(3);
    started[2]?.resolve('again');
    expect(await again).toEqual({ value: 'again', joined: false, callers: 1 });
  });

  it('rejects all callers with the same error, and does not keep it', async () => {
    const all = [1, 2, 3].map(() => singleFlight.join('a', staying, work));
    const error = new Error('no');
    only().reject(error);
    for (const result of await Promise.allSettled(all)) {
      expect(result).toEqual({ status: 'rejected', reason: error });
    }
    expect(singleFlight).toEqual(new SingleFlight());
  });

  it('continues for the followers when the leader leaves', async () => {
    const leaving = new AbortController();
    const first = singleFlight.join('a', leaving, work);
    const second = singleFlight.join('a', staying, work);
    leaving.abort(new Error('left'));
    await expect(first).rejects.toThrow('left');
    expect(only().signal.aborted).toBe(false);
    only().resolve('done');
    expect((await second).value).toBe('done');
  });

  it('aborts the work when the last caller leaves, and starts again for the next caller', async () => {
    const leaving = new AbortController();
    const all = [1, 2].map(() => singleFlight.join('a', leaving, work));
    leaving.abort(new Error('left'));
    for (const { status } of await Promise.allSettled(all)) expect(status).toBe('rejected');
    const old = only();
    expect(old.signal).toMatchObject({ aborted: true, reason: { code: 'CALLER_GONE' } });
    const late = singleFlight.join('a', staying, work);
    expect(started).toHaveLength(2);
    old.reject(new Error('aborted'));
    started[1]?.resolve('new');
    expect(await late).toEqual({ value: 'new', joined: false, callers: 1 });
  });

  it('starts no work for a caller that has already left', async () => {
    await expect(
      singleFlight.join('a', { signal: AbortSignal.abort(new Error('left')) }, work),
    ).rejects.toThrow('left');
    expect(started).toEqual([]);
  });

  describe('with followers', () => {
    const joinAs = (lane: string, priority: Requester['priority'] = 'interactive') => {
      const leaving = new AbortController();
      const joining = singleFlight.join('a', { signal: leaving.signal, requester: { lane, priority } }, work);
      joining.catch(() => undefined);
      return { leaving, joining };
    };
    /** Callers that the work of the only flight observes, by lane. */
    const observe = (): Map<string, WaitingCaller> => {
      const seen = new Map<string, WaitingCaller>();
      only().requester.observeCallers?.({
        joined: (caller) => seen.set(caller.requester.lane, caller),
        left: (caller) => seen.delete(caller.requester.lane),
      });
      return seen;
    };

    it('shows the work all waiting callers and their best priority', async () => {
      const refresh = joinAs('warming', 'warming');
      const seen = observe();
      expect(only().requester.priority).toBe('warming');
      const follower = joinAs('b');
      expect([[...seen.keys()], only().requester.priority]).toEqual([['warming', 'b'], 'interactive']);
      follower.leaving.abort(new Error('left'));
      await expect(follower.joining).rejects.toThrow('left');
      expect([[...seen.keys()], only().requester.priority]).toEqual([['warming'], 'warming']);
      only().resolve('done');
      await refresh.joining;
    });

    it('rejects one caller alone, and continues for the others', async () => {
      const [leader, follower] = [joinAs('a'), joinAs('b')];
      const busy = new Failure('GATEWAY_BUSY', 'full');
      observe().get('a')?.reject(busy);
      await expect(leader.joining).rejects.toBe(busy);
      expect(only().signal.aborted).toBe(false);
      only().resolve('done');
      expect(await follower.joining).toEqual({ value: 'done', joined: true, callers: 1 });
    });

    it('aborts the work when its last caller is rejected, and does not retry', async () => {
      const { joining } = joinAs('a');
      observe().get('a')?.reject(new Failure('GATEWAY_BUSY', 'full'));
      await expect(joining).rejects.toMatchObject({ code: 'GATEWAY_BUSY' });
      expect(only().signal.aborted).toBe(true);
      expect(singleFlight).toEqual(new SingleFlight());
    });

    it.each<ErrorCode>(['LIMIT_EXCEEDED', 'GATEWAY_BUSY'])(
      'lets a follower retry with its own requester when the leader fails with %s',
      async (code) => {
        const [leader, ...followers] = [joinAs('a'), joinAs('b'), joinAs('c')];
        const rejection = new Failure(code, 'no');
        only().reject(rejection);
        await expect(leader.joining).rejects.toBe(rejection);
        expect(started.map(({ requester }) => requester.lane)).toEqual(['a', 'b']);
        started[1]?.resolve('done');
        expect(await Promise.all(followers.map(({ joining }) => joining))).toEqual([
          { value: 'done', joined: false, callers: 2 },
          { value: 'done', joined: true, callers: 2 },
        ]);
      },
    );
  });
});
