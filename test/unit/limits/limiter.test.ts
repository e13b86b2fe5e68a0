import fc from 'fast-check';

import { ConcurrentQueries } from '../../../src/limits/concurrent-queries.js';
import { FixedWindows } from '../../../src/limits/fixed-windows.js';
import type { LimitRules } from '../../../src/limits/limit-rules.js';
import { LimitExceeded, type LimitState, type Subject } from '../../../src/limits/limit-state.js';
import { Limiter } from '../../../src/limits/limiter.js';

const COST = { rowsRead: 100, bytesRead: 1000, clickhouseMs: 1.2 };

const key = (rules: LimitRules, name = 'reports'): Subject => ({ kind: 'key', name, rules });
const endpoint = (rules: LimitRules): Subject => ({ kind: 'endpoint', name: 'logs.all', rules });
const perMinute = (quota: number) => ({ quota, window: 60 });

describe('Limiter of one process', () => {
  let now: number;
  let places: ConcurrentQueries;
  let windows: FixedWindows;
  let limiter: Limiter;

  beforeEach(() => {
    now = 1_000_000;
    windows = new FixedWindows(() => now, 100);
    places = new ConcurrentQueries();
    limiter = new Limiter({ windows, concurrent: places, now: () => now });
  });
  /** How the limits stand after a request, or what refuses it. */
  const admit = (...subjects: Subject[]): readonly LimitState[] | undefined => {
    const states = limiter.admitRequest(subjects);
    if (states instanceof Promise) throw new Error('not at once');
    return states;
  };
  const refusal = (...subjects: Subject[]): LimitExceeded => {
    try {
      admit(...subjects);
    } catch (error) {
      if (error instanceof LimitExceeded) return error;
      throw error;
    }
    throw new Error('the request was admitted');
  };

  describe('of requests', () => {
    it('gives nothing where nothing limits them', () => {
      expect(admit(key({}), endpoint({ rowsRead: perMinute(1), concurrent: 1 }))).toBeUndefined();
      expect([windows.size, limiter.admitsAtOnce([key({ requests: perMinute(1) })])]).toEqual([0, true]);
    });

    it('admits the quota and no more, until the window is over', () => {
      const subject = key({ requests: perMinute(3) });
      const remaining = [1, 2, 3].map(() => admit(subject)?.[0]?.remaining);
      expect(remaining).toEqual([2, 1, 0]);
      now += 48_500;
      const refused = refusal(subject);
      expect([refused.status, refused.code, refused.details.retryAfterSeconds]).toEqual([
        429,
        'LIMIT_EXCEEDED',
        12,
      ]);
      expect(refused.message).toBe(
        'The limit of this key, 3 requests in 60 seconds, is reached. Try again in 12 seconds.',
      );
      now += 11_499;
      expect(refusal(subject).details.retryAfterSeconds).toBe(1);
      now += 1;
      expect(admit(subject)).toMatchObject([{ remaining: 2, resetSeconds: 60, window: 60, quota: 3 }]);
    });

    it('counts each subject for itself', () => {
      admit(key({ requests: perMinute(1) }, 'a'));
      expect(admit(key({ requests: perMinute(1) }, 'b'))).toMatchObject([{ remaining: 0 }]);
    });

    it('counts nothing for the others when one refuses', () => {
      const [caller, asked] = [key({ requests: perMinute(5) }), endpoint({ requests: perMinute(2) })];
      admit(caller, asked);
      admit(caller, asked);
      const refused = refusal(caller, asked);
      expect(refused.message).toContain('the endpoint logs.all, 2 requests');
      expect(refused.states).toMatchObject([{ remaining: 3 }, { remaining: 0 }]);
      expect(admit(caller)).toMatchObject([{ remaining: 2 }]);
    });

    it('goes by new rules at once', () => {
      admit(key({ requests: perMinute(1) }));
      expect(admit(key({ requests: perMinute(3) }))).toMatchObject([{ remaining: 1 }]);
      expect(admit(key({ requests: { quota: 3, window: 10 } }))).toMatchObject([{ remaining: 2 }]);
    });

    it('never admits more than the quota in any window, whenever they come', () => {
      // A subject of its own for each run, shrinking too: time may stand still between two.
      let run = 0;
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 5 }), fc.array(fc.nat(30_000)), (quota, pauses) => {
          run += 1;
          const subject = key({ requests: perMinute(quota) }, `key of run ${run}`);
          let window = { start: -Infinity, count: 0 };
          for (const pause of pauses) {
            now += pause;
            if (now >= window.start + 60_000) window = { start: now, count: 0 };
            window.count += 1;
            if (window.count <= quota) admit(subject);
            else refusal(subject);
          }
        }),
      );
    });

    it('remembers so many windows only, whoever comes', () => {
      for (let n = 0; n < 1000; n += 1) admit(key({ requests: perMinute(1) }, `caller ${n}`));
      expect(windows.size).toBe(100);
    });

    it('counts a name of any length, and no two as one', () => {
      const long = 'x'.repeat(5000);
      admit(key({ requests: perMinute(1) }, `${long}a`));
      admit(key({ requests: perMinute(1) }, `${long}b`));
      expect(refusal(key({ requests: perMinute(1) }, `${long}a`)).code).toBe('LIMIT_EXCEEDED');
    });
  });

  describe('of cost', () => {
    it('admits queries until the budget is used up, overdrawn by the last', async () => {
      const subject = key({ rowsRead: perMinute(250) });
      for (const remaining of [250, 150, 50]) {
        const permit = await limiter.admitQuery([subject]);
        expect(permit.states).toMatchObject([{ counted: 'rowsRead', remaining }]);
        await permit.settle(COST);
      }
      await expect(limiter.admitQuery([subject])).rejects.toMatchObject({
        code: 'LIMIT_EXCEEDED',
        message: 'The limit of this key, 250 rows read in 60 seconds, is reached. Try again in 60 seconds.',
        details: { retryAfterSeconds: 60 },
      });
      expect(admit(subject)).toBeUndefined();
      now += 60_000;
      await limiter.admitQuery([subject]);
    });

    it('charges once, in whole units, and nothing for a query without a known cost', async () => {
      const subject = key({ clickhouseMs: perMinute(10), bytesRead: perMinute(5000) });
      const permit = await limiter.admitQuery([subject]);
      await permit.settle(COST);
      await permit.settle(COST);
      await (await limiter.admitQuery([subject])).settle();
      const { states } = await limiter.admitQuery([subject]);
      expect(states).toMatchObject([
        { counted: 'bytesRead', remaining: 4000 },
        { counted: 'clickhouseMs', remaining: 8 },
      ]);
    });

    it('names the limit that lasts the longest where several are used up', async () => {
      const subject = key({ rowsRead: perMinute(1), bytesRead: { quota: 1, window: 3600 } });
      await (await limiter.admitQuery([subject])).settle(COST);
      await expect(limiter.admitQuery([subject])).rejects.toMatchObject({
        exceeded: { counted: 'bytesRead' },
        details: { retryAfterSeconds: 3600 },
      });
    });
  });

  describe('of queries at a time', () => {
    it('admits so many, and one more when one is over', async () => {
      const subject = key({ concurrent: 2 });
      const [first] = [await limiter.admitQuery([subject]), await limiter.admitQuery([subject])];
      await expect(limiter.admitQuery([subject])).rejects.toMatchObject({
        status: 429,
        message: 'The limit of this key, 2 queries at a time, is reached. Try again in 1 second.',
        details: { retryAfterSeconds: 1 },
      });
      await first.settle();
      await first.settle();
      await limiter.admitQuery([subject]);
      await expect(limiter.admitQuery([subject])).rejects.toThrow(LimitExceeded);
    });

    it('takes no place of one subject when another refuses, and remembers nobody idle', async () => {
      const [caller, asked] = [key({ concurrent: 2 }), endpoint({ concurrent: 1 })];
      const permit = await limiter.admitQuery([caller, asked]);
      await expect(limiter.admitQuery([caller, asked])).rejects.toThrow('logs.all');
      const other = await limiter.admitQuery([caller]);
      await permit.settle(COST);
      await other.settle();
      expect(places.size).toBe(0);
    });
  });
});
