import { CircuitBreaker, type BreakerState } from '../../../../src/gateway/coordination/circuit-breaker.js';
import { SettableClock } from '../../../support/settable-clock.js';

const FAILURES = 3;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 4000;

describe('CircuitBreaker', () => {
  let time: SettableClock;
  let changes: BreakerState[];
  let breaker: CircuitBreaker;

  beforeEach(() => {
    time = new SettableClock();
    changes = [];
    breaker = new CircuitBreaker({
      failuresToOpen: FAILURES,
      firstPauseMs: FIRST_PAUSE_MS,
      maxPauseMs: MAX_PAUSE_MS,
      clock: time.clock,
      onChange: (state) => changes.push(state),
    });
  });

  const succeed = (): Promise<unknown> => breaker.run(() => Promise.resolve('well'));
  const fail = (): Promise<unknown> => breaker.run(() => Promise.reject(new Error('down')));
  const failOften = async (times: number): Promise<void> => {
    for (let n = 0; n < times; n += 1) await fail();
  };
  /** Whether a call is made at all. */
  const admits = async (): Promise<boolean> => {
    let called = false;
    await breaker.run(() => {
      called = true;
      return Promise.reject(new Error('down'));
    });
    return called;
  };

  it('returns results, and undefined for a failed call', async () => {
    expect(await succeed()).toBe('well');
    expect(await fail()).toBeUndefined();
  });

  it('opens after consecutive failures, not after failures with a success in between', async () => {
    await failOften(FAILURES - 1);
    await succeed();
    await failOften(FAILURES - 1);
    expect(breaker.state).toBe('closed');
    await fail();
    expect(breaker.state).toBe('open');
    expect(changes).toEqual(['open']);
  });

  it('makes no call while it is open, then makes one trial call', async () => {
    await failOften(FAILURES);
    time.advance(FIRST_PAUSE_MS - 1);
    expect(await admits()).toBe(false);
    time.advance(1);
    expect([await admits(), await admits()]).toEqual([true, false]);
  });

  it('makes only one trial call when many calls arrive', async () => {
    await failOften(FAILURES);
    time.advance(FIRST_PAUSE_MS);
    const tried = await Promise.all(Array.from({ length: 100 }, admits));
    expect(tried.filter(Boolean)).toHaveLength(1);
  });

  it('doubles its pause after each failed trial, up to the maximum', async () => {
    await failOften(FAILURES);
    for (const pauseMs of [500, 1000, 2000, 4000, 4000]) {
      time.advance(pauseMs - 1);
      expect(await admits()).toBe(false);
      time.advance(1);
      expect(await admits()).toBe(true);
    }
    expect(changes).toEqual(['open']);
  });

  it('closes after a successful trial, and starts with the first pause again', async () => {
    await failOften(FAILURES);
    time.advance(FIRST_PAUSE_MS);
    await fail();
    time.advance(2 * FIRST_PAUSE_MS);
    await succeed();
    expect(changes).toEqual(['open', 'closed']);
    await failOften(FAILURES);
    time.advance(FIRST_PAUSE_MS);
    expect(await succeed()).toBe('well');
    expect(changes).toEqual(['open', 'closed', 'open', 'closed']);
  });

  it('does not prolong its pause when a thousand concurrent calls fail together', async () => {
    await Promise.all(Array.from({ length: 1000 }, fail));
    time.advance(FIRST_PAUSE_MS);
    expect(await succeed()).toBe('well');
    expect(changes).toEqual(['open', 'closed']);
  });

  it('makes no second trial call when a call from before it opened ends', async () => {
    let endOld: (() => void) | undefined;
    const old = breaker.run(
      () =>
        new Promise(
          (_resolve, reject) =>
            (endOld = () => {
              reject(new Error('late'));
            }),
        ),
    );
    await failOften(FAILURES);
    time.advance(FIRST_PAUSE_MS);
    let endTrial: ((result: string) => void) | undefined;
    const trial = breaker.run(() => new Promise<string>((resolve) => (endTrial = resolve)));
    endOld?.();
    await old;
    expect(await admits()).toBe(false);
    endTrial?.('well');
    expect(await trial).toBe('well');
    expect(breaker.state).toBe('closed');
  });
});
