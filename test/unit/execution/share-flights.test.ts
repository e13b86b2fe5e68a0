import { SharedFlights } from '../../../src/execution/share-flights.js';

interface Held {
  readonly signal: AbortSignal;
  readonly resolve: (value: string) => void;
  readonly reject: (error: Error) => void;
}

describe('SharedFlights', () => {
  let flights: SharedFlights<string>;
  let held: Held[];
  const signal = new AbortController().signal;

  beforeEach(() => {
    flights = new SharedFlights();
    held = [];
  });

  const work = (own: AbortSignal): Promise<string> =>
    new Promise((resolve, reject) => held.push({ signal: own, resolve, reject }));
  const only = (): Held => {
    const [first, ...more] = held;
    if (!first || more.length > 0) throw new Error(`${held.length} run`);
    return first;
  };

  it('runs equal work once, and tells each caller whether it joined', async () => {
    const all = ['a', 'a', 'a'].map((key) => flights.join(key, signal, work));
    only().resolve('done');
    expect(await Promise.all(all)).toEqual([
      { value: 'done', joined: false },
      { value: 'done', joined: true },
      { value: 'done', joined: true },
    ]);
    expect(flights.size).toBe(0);
  });

  it('runs different work separately, and the same again once it is over', async () => {
    const all = ['a', 'b'].map((key) => flights.join(key, signal, work));
    for (const { resolve } of held) resolve('done');
    await Promise.all(all);
    const again = flights.join('a', signal, work);
    expect(held).toHaveLength(3);
    held[2]?.resolve('again');
    expect(await again).toEqual({ value: 'again', joined: false });
  });

  it('gives the same error to all, and keeps none', async () => {
    const all = [1, 2, 3].map(() => flights.join('a', signal, work));
    const error = new Error('no');
    only().reject(error);
    for (const result of await Promise.allSettled(all)) {
      expect(result).toEqual({ status: 'rejected', reason: error });
    }
    expect(flights.size).toBe(0);
  });

  it('goes on for the others when the one who began it leaves', async () => {
    const leaving = new AbortController();
    const first = flights.join('a', leaving.signal, work);
    const second = flights.join('a', signal, work);
    leaving.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    expect(only().signal.aborted).toBe(false);
    only().resolve('done');
    expect((await second).value).toBe('done');
  });

  it('aborts the work when the last one has left, and begins anew for who comes then', async () => {
    const leaving = new AbortController();
    const all = [1, 2].map(() => flights.join('a', leaving.signal, work));
    leaving.abort(new Error('gone'));
    for (const { status } of await Promise.allSettled(all)) expect(status).toBe('rejected');
    const old = only();
    expect(old.signal.aborted).toBe(true);
    const late = flights.join('a', signal, work);
    expect(held).toHaveLength(2);
    old.reject(new Error('aborted'));
    held[1]?.resolve('new');
    expect(await late).toEqual({ value: 'new', joined: false });
  });

  it('begins nothing for a caller who has left already', async () => {
    await expect(flights.join('a', AbortSignal.abort(new Error('gone')), work)).rejects.toThrow('gone');
    expect(held).toEqual([]);
  });
});
