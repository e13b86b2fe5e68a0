import fc from 'fast-check';

import { OPERATORS } from '../../../../src/endpoint/figures.js';
import type { LimitRules } from '../../../../src/endpoint/limit-rules.js';
import { ConcurrentQueries } from '../../../../src/gateway/limits/concurrent-queries.js';
import {
  LimitExceeded,
  unitsLeft,
  type LimitState,
  type Subject,
} from '../../../../src/gateway/limits/limit-state.js';
import { Limiter, type QueryPermit } from '../../../../src/gateway/limits/limiter.js';

const COST = { rowsRead: 100, bytesRead: 1000, clickhouseMs: 1.2 };

const key = (rules: LimitRules, name = 'reports'): Subject => ({ kind: 'key', name, rules });
/** The units left of each limit of a permit. */
const leftOf = ({ states }: QueryPermit): Readonly<Record<string, number | undefined>> =>
  Object.fromEntries(states.map((state) => [state.counted, unitsLeft(state, OPERATORS)]));
const endpoint = (rules: LimitRules): Subject => ({ kind: 'endpoint', name: 'logs.all', rules });
const perMinute = (quota: number) => ({ quota, window: 60 });

describe('Limiter without a shared store', () => {
  let now: number;
  let limiter: Limiter;

  beforeEach(() => {
    now = 1_000_000;
    limiter = new Limiter(() => now);
  });
  /** Admits a request and returns the limits after it; throws if a limit rejects it. */
  const admit = (...subjects: Subject[]): readonly LimitState[] => {
    const states = limiter.admitRequest(subjects);
    if (states instanceof Promise) throw new Error('not synchronous');
    return states;
  };
  const rejectionOf = (...subjects: Subject[]): LimitExceeded => {
    try {
      admit(...subjects);
    } catch (error) {
      if (error instanceof LimitExceeded) return error;
      throw error;
    }
    throw new Error('the request was admitted');
  };

  describe('quotasOf', () => {
    const rules = { requests: perMinute(3), rowsRead: { quota: 50, window: 10 }, concurrent: 2 };
    const usesOf = (subject: Subject) =>
      limiter.quotasOf(subject).map(({ counted, used, resetsIn }) => [counted, used, resetsIn]);

    it('returns what is used of each quota, until its window ends', async () => {
      const subject = key(rules);
      admit(subject);
      await (await limiter.admitQuery([subject])).settle(COST);
      now += 2500;
      expect(limiter.quotasOf(subject)).toEqual([
        { counted: 'requests', quota: 3, window: 60, used: 1, resetsIn: 58 },
        { counted: 'rowsRead', quota: 50, window: 10, used: 100, resetsIn: 8 },
      ]);
      now += 7500;
      expect(usesOf(subject)).toEqual([
        ['requests', 1, 50],
        ['rowsRead', 0, null],
      ]);
      expect(limiter.quotasOf(key({ concurrent: 1 }))).toEqual([]);
    });

    it('has no window of what was not used', () => {
      expect(usesOf(key(rules))).toEqual([
        ['requests', 0, null],
        ['rowsRead', 0, null],
      ]);
    });
  });

  describe('admitRequest', () => {
    it('returns nothing without a limit on requests', () => {
      expect(admit(key({}), endpoint({ rowsRead: perMinute(1), concurrent: 1 }))).toEqual([]);
    });

    it('admits the quota and no more until the window ends', () => {
      const subject = key({ requests: perMinute(3) });
      const remaining = [1, 2, 3].map(() => admit(subject)[0]?.remaining);
      expect(remaining).toEqual([2, 1, 0]);
      now += 48_500;
      const rejection = rejectionOf(subject);
      expect([rejection.status, rejection.code, rejection.details.retryAfterSeconds]).toEqual([
        429,
        'LIMIT_EXCEEDED',
        12,
      ]);
      expect(rejection.message).toBe(
        'This key has reached its limit of 3 requests in 60 seconds. Try again in 12 seconds.',
      );
      now += 11_499;
      expect(rejectionOf(subject).details.retryAfterSeconds).toBe(1);
      now += 1;
      expect(admit(subject)).toMatchObject([{ remaining: 2, resetSeconds: 60, window: 60, quota: 3 }]);
    });

    it('counts each subject separately', () => {
      admit(key({ requests: perMinute(1) }, 'a'));
      expect(admit(key({ requests: perMinute(1) }, 'b'))).toMatchObject([{ remaining: 0 }]);
    });

    it('reverts the counts of the other subjects when one rejects', () => {
      const [caller, called] = [key({ requests: perMinute(5) }), endpoint({ requests: perMinute(2) })];
      admit(caller, called);
      admit(caller, called);
      const rejection = rejectionOf(caller, called);
      expect(rejection.message).toContain('The endpoint logs.all has reached its limit of 2 requests');
      expect(rejection.states).toMatchObject([{ remaining: 3 }, { remaining: 0 }]);
      expect(admit(caller)).toMatchObject([{ remaining: 2 }]);
    });

    it('applies changed rules at once', () => {
      admit(key({ requests: perMinute(1) }));
      expect(admit(key({ requests: perMinute(3) }))).toMatchObject([{ remaining: 1 }]);
      expect(admit(key({ requests: { quota: 3, window: 10 } }))).toMatchObject([{ remaining: 2 }]);
    });

    it('never admits more than the quota in a window, at any request times', () => {
      // A subject per run, shrinking included: the clock may not advance between two runs.
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
            else rejectionOf(subject);
          }
        }),
      );
    });

    it('forgets the window of whoever called least recently beyond 50,000, which quotasOf does not start', () => {
      const caller = (n: number): Subject => key({ requests: perMinute(1) }, `caller ${n}`);
      for (let n = 0; n < 50_000; n += 1) admit(caller(n));
      limiter.quotasOf(caller(50_000));
      rejectionOf(caller(0));
      admit(caller(50_000));
      rejectionOf(caller(0));
      admit(caller(1));
    });

    it('counts long names that differ in one character separately', () => {
      const long = 'x'.repeat(5000);
      admit(key({ requests: perMinute(1) }, `${long}a`));
      admit(key({ requests: perMinute(1) }, `${long}b`));
      expect(rejectionOf(key({ requests: perMinute(1) }, `${long}a`)).code).toBe('LIMIT_EXCEEDED');
    });
  });

  describe('admitQuery with cost limits', () => {
    it('admits queries until the quota is exhausted, overdrawn by the last', async () => {
      const subject = key({ rowsRead: perMinute(250) });
      for (const remaining of [250, 150, 50]) {
        const permit = await limiter.admitQuery([subject]);
        expect(leftOf(permit)).toEqual({ rowsRead: remaining });
        await permit.settle(COST);
      }
      await expect(limiter.admitQuery([subject])).rejects.toMatchObject({
        code: 'LIMIT_EXCEEDED',
        message: 'This key has reached its limit of 250 rows read in 60 seconds. Try again in 60 seconds.',
        details: { retryAfterSeconds: 60 },
      });
      expect(admit(subject)).toEqual([]);
      now += 60_000;
      await limiter.admitQuery([subject]);
    });

    it('charges once and in whole units, and nothing when the cost is unknown', async () => {
      const subject = key({ clickhouseMs: perMinute(10), bytesRead: perMinute(5000) });
      const permit = await limiter.admitQuery([subject]);
      await permit.settle(COST);
      await permit.settle(COST);
      await (await limiter.admitQuery([subject])).settle();
      expect(leftOf(await limiter.admitQuery([subject]))).toEqual({ bytesRead: 4000, clickhouseMs: 8 });
    });

    it('reports the limit that lasts longest when several are exhausted', async () => {
      const subject = key({ rowsRead: perMinute(1), bytesRead: { quota: 1, window: 3600 } });
      await (await limiter.admitQuery([subject])).settle(COST);
      await expect(limiter.admitQuery([subject])).rejects.toMatchObject({
        exceeded: { counted: 'bytesRead' },
        details: { retryAfterSeconds: 3600 },
      });
    });
  });

  describe('admitQuery with a concurrency limit', () => {
    it('admits up to the limit, and another query when one ends', async () => {
      const subject = key({ concurrent: 2 });
      const [first] = [await limiter.admitQuery([subject]), await limiter.admitQuery([subject])];
      await expect(limiter.admitQuery([subject])).rejects.toMatchObject({
        status: 429,
        message: 'This key has reached its limit of 2 concurrent queries. Try again in 1 second.',
        details: { retryAfterSeconds: 1 },
      });
      await first.settle();
      await first.settle();
      await limiter.admitQuery([subject]);
      await expect(limiter.admitQuery([subject])).rejects.toThrow(LimitExceeded);
    });

    it('takes no permit of one subject when another rejects', async () => {
      const [caller, called] = [key({ concurrent: 2 }), endpoint({ concurrent: 1 })];
      const permit = await limiter.admitQuery([caller, called]);
      await expect(limiter.admitQuery([caller, called])).rejects.toThrow('logs.all');
      const other = await limiter.admitQuery([caller]);
      await permit.settle(COST);
      await other.settle();
      await limiter.admitQuery([caller, called]);
    });

    it('forgets idle subjects', async () => {
      const queries = new ConcurrentQueries();
      const release = await queries.acquire([key({ concurrent: 2 })]);
      expect(queries).not.toEqual(new ConcurrentQueries());
      await release();
      expect(queries).toEqual(new ConcurrentQueries());
    });
  });
});
