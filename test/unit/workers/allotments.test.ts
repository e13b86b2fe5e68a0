import fc from 'fast-check';

import { FixedWindows } from '../../../src/limits/fixed-windows.js';
import { LimitExceeded, type LimitState, type Subject } from '../../../src/limits/limit-state.js';
import { Limiter } from '../../../src/limits/limiter.js';
import { QueryPlaces } from '../../../src/limits/query-places.js';
import { HeldUnits } from '../../../src/workers/held-units.js';
import { limitsInPrimary } from '../../../src/workers/limits-in-primary.js';
import { TestPrimary, type TestLink } from '../../support/test-workers.js';

interface CountingWorker extends TestLink {
  readonly limiter: Limiter;
  readonly units: HeldUnits;
}

const WINDOW_MS = 60_000;
/** What docs/limits.md says that one worker can hold: a 64th of what was left, and no more than this. */
const MOST_HELD = 256;

let now: number;
let primary: TestPrimary;
let workers: CountingWorker[];

const open = (count: number, answerMs?: number): void => {
  now = 1_000_000;
  const clock = (): number => now;
  primary = new TestPrimary(() => new Date(), clock);
  workers = Array.from({ length: count }, () => {
    const joined = primary.join(answerMs);
    const units = new HeldUnits(joined.link, clock);
    const shared = limitsInPrimary(joined.link, units, 60_000);
    const parts = { windows: new FixedWindows(clock), places: new QueryPlaces(shared), shared, now: clock };
    return { ...joined, units, limiter: new Limiter(parts) };
  });
};
afterEach(() => {
  expect(primary.faults).toEqual([]);
});

const worker = (index: number): CountingWorker => {
  const found = workers[index % workers.length];
  if (!found) throw new Error(`there is no worker ${index}`);
  return found;
};
const key = (quota: number): Subject => ({
  kind: 'key',
  name: 'reports',
  rules: { requests: { quota, window: WINDOW_MS / 1000 } },
});
const endpoint = (quota: number): Subject => ({ ...key(quota), kind: 'endpoint', name: 'logs.all' });

/** How the limits stand after a request; undefined where it is refused. */
const admit = async (at: number, ...subjects: Subject[]): Promise<readonly LimitState[] | undefined> => {
  try {
    return await worker(at).limiter.admitRequest(subjects);
  } catch (error) {
    if (error instanceof LimitExceeded) return undefined;
    throw error;
  }
};
const flood = async (at: number, requests: number, subject: Subject): Promise<number> => {
  const outcomes = await Promise.all(Array.from({ length: requests }, () => admit(at, subject)));
  return outcomes.filter(Boolean).length;
};
/** One after another; how many were let in. */
const sequence = async (at: number, requests: number, subject: Subject): Promise<number> => {
  let admitted = 0;
  for (let n = 0; n < requests; n += 1) if (await admit(at, subject)) admitted += 1;
  return admitted;
};
/** Messages that are on their way have come, there and back. */
const settle = async (): Promise<void> => {
  for (const { link } of workers) await link.ask('limits.read', 'nothing');
};

describe('a quota on requests that workers share', () => {
  it('is never exceeded in a window, and refuses nobody before it is used up, however requests come', async () => {
    const steps = fc.array(
      fc.record({
        at: fc.nat(3),
        requests: fc.oneof(fc.nat(20), fc.nat(300)),
        isFlood: fc.boolean(),
        isAwaited: fc.boolean(),
        pauseMs: fc.oneof(fc.constant(0), fc.nat(400), fc.nat(WINDOW_MS)),
      }),
      { minLength: 1, maxLength: 12 },
    );
    const quotas = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 100, max: 2500 }));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), quotas, steps, async (count, quota, given) => {
        open(count);
        const subject = key(quota);
        let window = { endsAt: -Infinity, asked: 0, admitted: 0 };
        let running: Promise<void>[] = [];
        for (const { at, requests, isFlood, isAwaited, pauseMs } of given) {
          if (now >= window.endsAt && requests > 0)
            window = { endsAt: now + WINDOW_MS, asked: 0, admitted: 0 };
          const counted = window;
          counted.asked += requests;
          const come = isFlood ? flood : sequence;
          running.push(come(at, requests, subject).then((admitted) => void (counted.admitted += admitted)));
          if (isAwaited || pauseMs > 0) {
            await Promise.all(running);
            await settle();
            running = [];
            expect(window.admitted).toBe(Math.min(quota, window.asked));
          }
          now += pauseMs;
        }
        await Promise.all(running);
        expect(window.admitted).toBe(Math.min(quota, window.asked));
      }),
      { numRuns: 25 },
    );
  });

  it('is counted at once for most requests, and asked for where little is left', async () => {
    open(2);
    const subject = key(1000);
    let atOnce = 0;
    for (let n = 0; n < 1000; n += 1) {
      if (worker(n).limiter.admitsAtOnce([subject])) atOnce += 1;
      expect(await admit(n, subject)).toHaveLength(1);
      await settle();
    }
    expect(atOnce).toBeGreaterThan(700);
    expect(await admit(0, subject)).toBeUndefined();
    const small = key(100);
    expect(await admit(0, { ...small, name: 'small' })).toMatchObject([{ remaining: 99 }]);
    expect(worker(0).limiter.admitsAtOnce([{ ...small, name: 'small' }])).toBe(false);
  });

  it('lends a worker so much at a time and no more, however large it is', async () => {
    open(1);
    const subject = key(1_000_000_000);
    await admit(0, subject);
    const { limiter } = worker(0);
    let atOnce = 0;
    // Nothing that the primary says is heard meanwhile.
    while (limiter.admitsAtOnce([subject])) {
      expect(limiter.admitRequest([subject])).toHaveLength(1);
      atOnce += 1;
    }
    expect(atOnce).toBe(MOST_HELD);
    await settle();
    expect(limiter.admitsAtOnce([subject])).toBe(true);
  });

  it('is told exactly while one worker is asked, and to what others hold while several are', async () => {
    open(2);
    const subject = key(2000);
    for (let used = 1; used <= 1200; used += 1) {
      const [state] = (await admit(0, subject)) ?? [];
      expect(state).toMatchObject({ remaining: 2000 - used });
    }
    const [other] = (await admit(1, subject)) ?? [];
    expect(other?.remaining).toBeGreaterThanOrEqual(799);
    expect(other?.remaining).toBeLessThanOrEqual(799 + 2000 / 64);
    await flood(1, 400, subject);
    // What it knew is too old now to be told once more.
    now += 250;
    expect(worker(0).limiter.admitsAtOnce([subject])).toBe(false);
    const [own] = (await admit(0, subject)) ?? [];
    expect(own?.remaining).toBeGreaterThanOrEqual(398);
    expect(own?.remaining).toBeLessThanOrEqual(398 + 2000 / 64);
  });

  it('has what a worker gives back that ends, and not what one held that was killed', async () => {
    open(3);
    const subject = key(6400);
    for (const at of [0, 1, 2]) await admit(at, subject);
    await worker(0).units.giveBackAll();
    worker(0).member.leave();
    worker(1).member.leave();
    const rest = await flood(2, 6400, subject);
    expect(rest).toBeLessThanOrEqual(6397);
    expect(rest).toBeGreaterThanOrEqual(6397 - 100);
    expect(rest).toBeLessThan(6397);
  });

  it('loses for a window what a worker holds that hangs, and waits for it once', async () => {
    open(2);
    const subject = key(2000);
    await admit(0, subject);
    worker(0).silence();
    const held = Math.floor(2000 / 64);
    expect(await flood(1, 2000, subject)).toBe(1999 - held);
    expect(await flood(1, 10, subject)).toBe(0);
    worker(0).resume();
    await settle();
    // It may still use what it holds, and no more.
    expect(await flood(0, 1000, subject)).toBeLessThanOrEqual(held);
  });

  it('is another in each window, whatever is held of the one before', async () => {
    open(2);
    const subject = key(640);
    await flood(0, 100, subject);
    await flood(1, 100, subject);
    now += WINDOW_MS;
    expect(await flood(1, 700, subject)).toBe(640);
    expect(await flood(0, 10, subject)).toBe(0);
    await worker(0).units.giveBackAll();
    expect(await flood(0, 1, subject)).toBe(0);
  });

  it('is not what was lent a moment before its window ended', async () => {
    open(2);
    const subject = key(6400);
    await admit(1, subject);
    now += WINDOW_MS - 1;
    await admit(0, subject);
    expect(worker(0).limiter.admitsAtOnce([subject])).toBe(true);
    now += 1;
    expect(worker(0).limiter.admitsAtOnce([subject])).toBe(false);
    expect(await admit(0, subject)).toMatchObject([{ remaining: 6399, resetSeconds: 60 }]);
  });

  it('is not touched by requests that another limit refuses', async () => {
    open(2);
    const [caller, asked] = [key(1000), endpoint(3)];
    const outcomes = await Promise.all(Array.from({ length: 50 }, (_, at) => admit(at, caller, asked)));
    expect(outcomes.filter(Boolean)).toHaveLength(3);
    await settle();
    expect(await flood(0, 1000, caller)).toBe(997);
  });

  it('goes by new rules at once', async () => {
    open(1);
    await admit(0, key(1000));
    expect(worker(0).limiter.admitsAtOnce([key(3)])).toBe(false);
    expect(await admit(0, key(3000))).toMatchObject([{ quota: 3000 }]);
  });
});
