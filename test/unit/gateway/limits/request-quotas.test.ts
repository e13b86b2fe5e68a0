import fc from 'fast-check';

import { OPERATORS } from '../../../../src/endpoint/figures.js';
import {
  LimitExceeded,
  unitsLeft,
  type LimitState,
  type Subject,
} from '../../../../src/gateway/limits/limit-state.js';
import { Limiter } from '../../../../src/gateway/limits/limiter.js';
import { CountingStore } from '../../../support/counting-store.js';

const WINDOW_MS = 60_000;
/** What a gateway may hold of a quota: two leases of a hundredth each. */
const HELD_AT_MOST = 0.02;

let now: number;
let store: CountingStore;
beforeEach(() => {
  now = 1_000_000;
  store = new CountingStore(() => now);
});

const openGateway = (): Limiter => {
  const clock = (): number => now;
  return new Limiter(clock, store);
};
const withQuota = (quota: number, name = 'reports'): Subject => ({
  kind: 'key',
  name,
  rules: { requests: { quota, window: WINDOW_MS / 1000 } },
});
/** The limits after a request; undefined where a limit rejected it. */
const admit = async (gateway: Limiter, subject: Subject): Promise<readonly LimitState[] | undefined> => {
  try {
    return await gateway.admitRequest([subject]);
  } catch (error) {
    if (error instanceof LimitExceeded) return undefined;
    throw error;
  }
};
/** Sends a request every few milliseconds; returns how many were admitted. */
const send = async (
  gateway: Limiter,
  subject: Subject,
  { times, everyMs }: { readonly times: number; readonly everyMs: number },
): Promise<number> => {
  let admitted = 0;
  for (let n = 0; n < times; n += 1) {
    now += everyMs;
    if (await admit(gateway, subject)) admitted += 1;
  }
  return admitted;
};

describe('quotas that gateways share', () => {
  it('are reported as each gateway last knew their counts, without a demand', async () => {
    const [a, b, idle] = [openGateway(), openGateway(), openGateway()];
    for (const gateway of [a, b]) await admit(gateway, withQuota(10));
    const used = [a, b, idle].map((gateway) => gateway.quotasOf(withQuota(10))[0]?.used);
    expect(used).toEqual([1, 2, 0]);
    expect(store.calls).toBe(2);
  });

  it('are counted request by request for a caller that sends few', async () => {
    const [a, b] = [openGateway(), openGateway()];
    const remaining: (number | undefined)[] = [];
    for (const gateway of [a, b, a, b, a]) {
      now += 1000;
      const [state] = (await admit(gateway, withQuota(100_000))) ?? [];
      remaining.push(state && unitsLeft(state, OPERATORS));
    }
    expect(remaining).toEqual([99_999, 99_998, 99_997, 99_996, 99_995]);
    expect(store.calls).toBe(5);
  });

  it('are leased for a caller that sends many, whose requests need not wait for the store', async () => {
    const gateway = openGateway();
    const subject = withQuota(100_000);
    await send(gateway, subject, { times: 300, everyMs: 1 });
    const before = store.calls;
    for (let n = 0; n < 1000; n += 1) {
      now += 1;
      expect(gateway.admitAtOnce([subject])).toBeDefined();
      await Promise.resolve();
    }
    expect(store.calls - before).toBeLessThan(30);
    expect(gateway.admitAtOnce([subject])).toMatchObject([{ remaining: 100_000 - 1301 }]);
  });

  it('are counted request by request near their end, and never exceeded', async () => {
    const gateway = openGateway();
    const subject = withQuota(1000);
    expect(await send(gateway, subject, { times: 2000, everyMs: 1 })).toBe(1000);
    expect(store.windows.get('key:reports:requests:60')?.count).toBe(1000);
  });

  it('end with their window: units of a lease are not used in the next one', async () => {
    const gateway = openGateway();
    const subject = withQuota(10_000);
    await send(gateway, subject, { times: 500, everyMs: 1 });
    now += WINDOW_MS;
    expect(gateway.admitAtOnce([subject])).toBeUndefined();
    expect(await admit(gateway, subject)).toMatchObject([{ remaining: 9999 }]);
  });

  it('count a request whose window ends before the reply of the store arrives', async () => {
    const gateway = openGateway();
    store.onTravel = { back: () => (now += WINDOW_MS) };
    expect(await admit(gateway, withQuota(10))).toBeDefined();
  });

  it('are not exhausted any more where the window ends with the reply that says so', async () => {
    const [a, b] = [openGateway(), openGateway()];
    const subject = withQuota(1);
    await admit(a, subject);
    store.onTravel = { back: () => (now += WINDOW_MS) };
    expect(await admit(b, subject)).toBeDefined();
  });

  it('are held back by two hundredths at most by a gateway with many requests', async () => {
    const gateway = openGateway();
    const subject = withQuota(2000);
    const admitted = await send(gateway, subject, { times: 150, everyMs: 1 });
    await Promise.all(Array.from({ length: 64 }, () => admit(gateway, subject)));
    const { count = 0 } = store.windows.get('key:reports:requests:60') ?? {};
    expect(count - admitted - 64).toBeLessThanOrEqual(2000 * HELD_AT_MOST);
  });

  it('get back the unit of a request that another limit rejects, also where the store is slow', async () => {
    const [a, b] = [openGateway(), openGateway()];
    const endpoint: Subject = { ...withQuota(1, 'orders'), kind: 'endpoint' };
    await admit(a, endpoint);
    store.onTravel = { to: () => (now += 50) };
    await expect(b.admitRequest([withQuota(1000), endpoint])).rejects.toThrow(LimitExceeded);
    expect(store.windows.get('key:reports:requests:60')?.count).toBe(0);
  });

  it('continue from the last known count while the store is unreachable', async () => {
    const gateway = openGateway();
    const subject = withQuota(1000);
    expect(await send(gateway, subject, { times: 400, everyMs: 1 })).toBe(400);
    store.state = 'unreachable';
    expect(await send(gateway, subject, { times: 1000, everyMs: 1 })).toBe(600);
  });

  it('are exceeded by no schedule of requests, and reject at most 2 % of the quota early for each other gateway', async () => {
    const burst = fc.record({
      gateway: fc.nat(2),
      times: fc.integer({ min: 1, max: 400 }),
      everyMs: fc.constantFrom(0, 1, 5, 40),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3000 }),
        fc.array(burst, { minLength: 1, maxLength: 12 }),
        async (quota, bursts) => {
          run += 1;
          now += 2 * WINDOW_MS;
          const subject = withQuota(quota, `run ${run}`);
          const gateways = [openGateway(), openGateway(), openGateway()];
          const startedAt = now;
          let [admitted, rejectedEarly] = [0, false];
          for (const { gateway, times, everyMs } of bursts) {
            for (let n = 0; n < times && now - startedAt < WINDOW_MS - 100; n += 1) {
              now += everyMs;
              if (await admit(gateways[gateway] ?? openGateway(), subject)) admitted += 1;
              else if (admitted < quota * (1 - 2 * HELD_AT_MOST)) rejectedEarly = true;
            }
          }
          expect(admitted).toBeLessThanOrEqual(quota);
          expect(rejectedEarly).toBe(false);
        },
      ),
      { numRuns: 40 },
    );
  });
});
