import { Failure, type ErrorCode } from '../../../src/errors.js';
import type { Requester, WaitingCaller } from '../../../src/query/ports.js';
import {
  SingleFlight,
  type SingleFlightCaller,
  type SingleFlightContext,
} from '../../../src/query/single-flight.js';

interface Held extends SingleFlightContext {
  readonly resolve: (value: string) => void;
  readonly reject: (error: Error) => void;
}

describe('SharedFlights', () => {
  let singleFlight: SingleFlight<string>;
  let held: Held[];
  const staying: SingleFlightCaller = { signal: new AbortController().signal };

  beforeEach(() => {
    singleFlight = new SingleFlight();
    held = [];
  });

  const work = (context: SingleFlightContext): Promise<string> =>
    new Promise((resolve, reject) => held.push({ ...context, resolve, reject }));
  const only = (): Held => {
    const [first, ...more] = held;
    if (!first || more.length > 0) throw new Error(`${held.length} run`);
    return first;
  };

  it('runs equal work once, and tells each caller whether it joined', async () => {
    const all = ['a', 'a', 'a'].map((key) => singleFlight.join(key, staying, work));
    only().resolve('done');
    expect(await Promise.all(all)).toEqual([
      { value: 'done', joined: false },
      { value: 'done', joined: true },
      { value: 'done', joined: true },
    ]);
    expect(singleFlight.size).toBe(0);
  });

  it('runs different work separately, and the same again once it is over', async () => {
    const all = ['a', 'b'].map((key) => singleFlight.join(key, staying, work));
    for (const { resolve } of held) resolve('done');
    await Promise.all(all);
    const again = singleFlight.join('a', staying, work);
    expect(held).toHaveLength(3);
    held[2]?.resolve('again');
    expect(await again).toEqual({ value: 'again', joined: false });
  });

  it('gives the same error to all, and keeps none', async () => {
    const all = [1, 2, 3].map(() => singleFlight.join('a', staying, work));
    const error = new Error('no');
    only().reject(error);
    for (const result of await Promise.allSettled(all)) {
      expect(result).toEqual({ status: 'rejected', reason: error });
    }
    expect(singleFlight.size).toBe(0);
  });

  it('goes on for the others when the one who began it leaves', async () => {
    const leaving = new AbortController();
    const first = singleFlight.join('a', leaving, work);
    const second = singleFlight.join('a', staying, work);
    leaving.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    expect(only().signal.aborted).toBe(false);
    only().resolve('done');
    expect((await second).value).toBe('done');
  });

  it('aborts the work when the last one has left, and begins anew for who comes then', async () => {
    const leaving = new AbortController();
    const all = [1, 2].map(() => singleFlight.join('a', leaving, work));
    leaving.abort(new Error('gone'));
    for (const { status } of await Promise.allSettled(all)) expect(status).toBe('rejected');
    const old = only();
    expect(old.signal.aborted).toBe(true);
    const late = singleFlight.join('a', staying, work);
    expect(held).toHaveLength(2);
    old.reject(new Error('aborted'));
    held[1]?.resolve('new');
    expect(await late).toEqual({ value: 'new', joined: false });
  });

  it('begins nothing for a caller who has left already', async () => {
    await expect(
      singleFlight.join('a', { signal: AbortSignal.abort(new Error('gone')) }, work),
    ).rejects.toThrow('gone');
    expect(held).toEqual([]);
  });

  describe('with followers', () => {
    const of = (lane: string, priority: Requester['priority'] = 'interactive') => {
      const leaving = new AbortController();
      const joining = singleFlight.join('a', { signal: leaving.signal, requester: { lane, priority } }, work);
      joining.catch(() => undefined);
      return { leaving, joining };
    };
    /** Callers that the work of the only flight sees. */
    const observe = (): Map<string, WaitingCaller> => {
      const seen = new Map<string, WaitingCaller>();
      only().requester.observeCallers?.({
        joined: (caller) => seen.set(caller.requester.lane, caller),
        left: (caller) => seen.delete(caller.requester.lane),
      });
      return seen;
    };

    it('shows the work every caller that waits, and the best priority among them', async () => {
      const refresh = of('warming', 'warming');
      const seen = observe();
      expect(only().requester.priority).toBe('warming');
      const follower = of('b');
      expect([[...seen.keys()], only().requester.priority]).toEqual([['warming', 'b'], 'interactive']);
      follower.leaving.abort(new Error('gone'));
      await expect(follower.joining).rejects.toThrow('gone');
      expect([[...seen.keys()], only().requester.priority]).toEqual([['warming'], 'warming']);
      only().resolve('done');
      await refresh.joining;
    });

    it('rejects one caller alone, and goes on for the others', async () => {
      const [leader, follower] = [of('a'), of('b')];
      const busy = new Failure('GATEWAY_BUSY', 'full');
      observe().get('a')?.reject(busy);
      await expect(leader.joining).rejects.toBe(busy);
      expect(only().signal.aborted).toBe(false);
      only().resolve('done');
      expect(await follower.joining).toEqual({ value: 'done', joined: true });
    });

    it('aborts the work when its last caller is rejected, who does not come back', async () => {
      const { joining } = of('a');
      observe().get('a')?.reject(new Failure('GATEWAY_BUSY', 'full'));
      await expect(joining).rejects.toMatchObject({ code: 'GATEWAY_BUSY' });
      expect([only().signal.aborted, singleFlight.size]).toEqual([true, 0]);
    });

    it.each<ErrorCode>(['LIMIT_EXCEEDED', 'GATEWAY_BUSY'])(
      'lets a follower retry as itself when the leader fails with %s',
      async (code) => {
        const [leader, ...followers] = [of('a'), of('b'), of('c')];
        const refused = new Failure(code, 'no');
        only().reject(refused);
        await expect(leader.joining).rejects.toBe(refused);
        expect(held.map(({ requester }) => requester.lane)).toEqual(['a', 'b']);
        held[1]?.resolve('done');
        expect(await Promise.all(followers.map(({ joining }) => joining))).toEqual([
          { value: 'done', joined: false },
          { value: 'done', joined: true },
        ]);
      },
    );
  });
});
