import fc from 'fast-check';

import { LimitExceeded, type Subject } from '../../../../src/gateway/limits/limit-state.js';
import { Limiter } from '../../../../src/gateway/limits/limiter.js';
import { CountingStore, type StoreState } from '../../../support/counting-store.js';

const WINDOW_MS = 60_000;
/** A schedule of one window ends before any window that began in it, however long its replies took. */
const SCHEDULE_MS = WINDOW_MS - 15_000;
const COST = { rowsRead: 7, bytesRead: 0, clickhouseMs: 0 };

let now: number;
let store: CountingStore;
let run = 0;
beforeEach(() => {
  now = 1_000_000;
  store = new CountingStore(() => now);
});

const openGateway = (): Limiter => {
  const clock = (): number => now;
  return new Limiter(clock, store);
};
const openGateways = (count: number): Limiter[] => Array.from({ length: count }, openGateway);
const limited = (counted: 'requests' | 'rowsRead', quota: number): Subject => ({
  kind: 'key',
  name: `run ${run}`,
  rules: { [counted]: { quota, window: WINDOW_MS / 1000 } },
});
const unlessRejected = async <T>(attempt: () => T | Promise<T>): Promise<T | undefined> => {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof LimitExceeded) return undefined;
    throw error;
  }
};
/** Spends units, and returns how many: none where a limit rejects it. */
type Spend = (gateway: Limiter, subject: Subject) => Promise<number>;
const sendRequest: Spend = async (gateway, subject) =>
  (await unlessRejected(() => gateway.admitRequest([subject]))) ? 1 : 0;
const runQuery: Spend = async (gateway, subject) => {
  const permit = await unlessRejected(() => gateway.admitQuery([subject]));
  await permit?.settle(COST);
  return permit ? COST.rowsRead : 0;
};
const sendRequests = async (gateway: Limiter, subject: Subject, times: number): Promise<number> => {
  let admitted = 0;
  for (let n = 0; n < times; n += 1) {
    now += 1;
    admitted += await sendRequest(gateway, subject);
  }
  return admitted;
};
/** The only window in the store. */
const stored = () => [...store.windows.values()][0];
/** Lets the demands of the background arrive. */
const untilSettled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('quotas while their store comes and goes', () => {
  it.each<StoreState>(['unreachable', 'silent', 'stopped'])(
    'are spent once by one gateway, however often the store is %s',
    async (state) => {
      const [gateway, subject] = [openGateway(), limited('requests', 1000)];
      let admitted = 0;
      for (let n = 0; n < 4; n += 1) {
        store.state = 'reachable';
        admitted += await sendRequests(gateway, subject, 100);
        store.state = state;
        admitted += await sendRequests(gateway, subject, 1000);
      }
      expect(admitted).toBe(1000);
    },
  );

  it('are not overspent by requests that arrive at once when the store is back', async () => {
    const [gateway, subject] = [openGateway(), limited('requests', 100)];
    store.state = 'unreachable';
    await sendRequests(gateway, subject, 98);
    store.state = 'reachable';
    const spent = await Promise.all(Array.from({ length: 8 }, () => sendRequest(gateway, subject)));
    expect(spent.filter((units) => units > 0)).toHaveLength(2);
  });

  it('are counted twice at most where the store counts and its replies are lost', async () => {
    const [gateway, subject] = [openGateway(), limited('requests', 1000)];
    store.state = 'silent';
    await sendRequests(gateway, subject, 50);
    await untilSettled();
    store.state = 'reachable';
    await sendRequests(gateway, subject, 1);
    await untilSettled();
    expect(stored()?.count).toBeGreaterThan(50);
    expect(stored()?.count).toBeLessThanOrEqual(101);
  });

  it('end for a gateway that starts in an outage with the window that the store has', async () => {
    const [a, b] = [openGateway(), openGateway()];
    const subject = limited('requests', 100);
    await sendRequests(a, subject, 1);
    store.state = 'unreachable';
    now += 50_000;
    expect(await b.admitRequest([subject])).toMatchObject([{ resetSeconds: 60 }]);
    store.state = 'reachable';
    await sendRequests(b, subject, 2);
    expect(await b.admitRequest([subject])).toMatchObject([{ resetSeconds: 10, remaining: 95 }]);
  });

  it('are paid to the store once it replies, so that other gateways know', async () => {
    const [a, b, c] = [openGateway(), openGateway(), openGateway()];
    const subject = limited('requests', 1000);
    await sendRequests(a, subject, 100);
    store.state = 'stopped';
    expect(await sendRequests(a, subject, 300)).toBe(300);
    expect(await sendRequests(b, subject, 400)).toBe(400);
    now += 1000;
    store.state = 'reachable';
    for (const gateway of [a, b]) await sendRequests(gateway, subject, 2);
    await untilSettled();
    const [state] = await c.admitRequest([subject]);
    expect(state?.remaining).toBeLessThanOrEqual(195);
    expect(state?.remaining).toBeGreaterThanOrEqual(170);
  });

  it('are paid also by a gateway that rejects all further requests', async () => {
    const [a, b] = [openGateway(), openGateway()];
    const subject = limited('requests', 50);
    await sendRequests(a, subject, 1);
    store.state = 'unreachable';
    await sendRequests(a, subject, 100);
    store.state = 'reachable';
    expect(await sendRequests(a, subject, 1)).toBe(0);
    await untilSettled();
    expect(await sendRequests(b, subject, 1)).toBe(0);
  });

  it('are restored in a store that lost its data, until the window ends', async () => {
    const [a, b] = [openGateway(), openGateway()];
    const subject = limited('requests', 1000);
    for (let n = 0; n < 300; n += 1) {
      await sendRequests(a, subject, 1);
      await sendRequests(b, subject, 1);
    }
    const { endsAt } = stored() ?? {};
    store.failOver();
    await sendRequests(a, subject, 20);
    expect(stored()?.count).toBeGreaterThanOrEqual(600);
    expect(stored()?.endsAt).toBe(endsAt);
    expect(600 + 20 + (await sendRequests(a, subject, 1000))).toBeLessThanOrEqual(1000);
  });

  it('are paid again where a replica takes over that knows fewer units', async () => {
    const [gateway, subject] = [openGateway(), limited('requests', 1000)];
    await sendRequests(gateway, subject, 100);
    const replica = store.copy();
    await sendRequests(gateway, subject, 500);
    store.failOver(replica);
    await sendRequests(gateway, subject, 20);
    await untilSettled();
    expect(stored()?.count).toBeGreaterThanOrEqual(620);
  });

  it('are counted again after the clock of the store was set', async () => {
    const [gateway, subject] = [openGateway(), limited('requests', 1000)];
    await sendRequests(gateway, subject, 10);
    store.aheadMs += 3_600_000;
    await sendRequests(gateway, subject, 10);
    await untilSettled();
    expect(stored()?.count).toBe(20);
  });
});

const STATES: readonly StoreState[] = ['reachable', 'reachable', 'unreachable', 'silent', 'stopped'];
type Event =
  | { readonly gateway: number; readonly times: number; readonly atOnce: number; readonly everyMs: number }
  | { readonly state: StoreState }
  | { readonly travelMs: number }
  | { readonly fault: 'copy' | 'fail over' | 'flush' };
const EVENT: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      gateway: fc.nat(2),
      times: fc.integer({ min: 1, max: 200 }),
      atOnce: fc.constantFrom(1, 1, 8),
      everyMs: fc.constantFrom(0, 1, 5, 40, 300),
    }),
  },
  { weight: 4, arbitrary: fc.record({ state: fc.constantFrom(...STATES) }) },
  { weight: 1, arbitrary: fc.record({ travelMs: fc.constantFrom(0, 20, 200) }) },
  { weight: 1, arbitrary: fc.record({ fault: fc.constantFrom('copy', 'fail over', 'flush') }) },
);

/** Runs the events of one window, and returns what each gateway spent. */
const runWindow = async (
  gateways: readonly Limiter[],
  events: readonly Event[],
  spend: (gateway: Limiter) => Promise<number>,
): Promise<readonly number[]> => {
  const startedAt = now;
  const spent = gateways.map(() => 0);
  let replica: ReturnType<CountingStore['copy']> = new Map();
  for (const event of events) {
    if ('state' in event) store.state = event.state;
    else if ('travelMs' in event) {
      const travel = (): unknown => (now += event.travelMs / 2);
      store.onTravel = { to: travel, back: travel };
    } else if ('fault' in event) {
      if (event.fault === 'copy') replica = store.copy();
      else store.failOver(event.fault === 'flush' ? undefined : replica);
    } else {
      const index = event.gateway % gateways.length;
      for (let n = 0; n < event.times && now - startedAt < SCHEDULE_MS; n += event.atOnce) {
        now += event.everyMs;
        const units = await Promise.all(
          Array.from({ length: event.atOnce }, () => spend(gateways[index] ?? openGateway())),
        );
        spent[index] = units.reduce((sum, each) => sum + each, spent[index] ?? 0);
      }
    }
  }
  now += WINDOW_MS;
  return spent;
};

const WINDOWS = fc.array(fc.array(EVENT, { minLength: 1, maxLength: 16 }), { minLength: 1, maxLength: 3 });

describe.each([1, 3])('over any schedule of requests, outages and lost data, %d gateways', (count) => {
  it('admit at most one quota each in a window, and one together once the store is back', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 500 }), WINDOWS, async (quota, windows) => {
        run += 1;
        const [gateways, subject] = [openGateways(count), limited('requests', quota)];
        const spend = (gateway: Limiter): Promise<number> => sendRequest(gateway, subject);
        for (const events of windows) {
          for (const spent of await runWindow(gateways, events, spend))
            expect(spent).toBeLessThanOrEqual(quota);
        }
        store.state = 'reachable';
        store.onTravel = {};
        // What stopped demands had started ends as well.
        now += WINDOW_MS;
        const flood = gateways.map((_each, gateway) => ({
          gateway,
          times: quota + 1,
          atOnce: 1,
          everyMs: 1,
        }));
        const spent = await runWindow(gateways, flood, spend);
        expect(spent.reduce((sum, each) => sum + each, 0)).toBe(quota);
      }),
      { numRuns: 50 },
    );
  });

  it('run queries for at most one budget each in a window, and what those cost that were running', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 2000 }), WINDOWS, async (quota, windows) => {
        run += 1;
        const [gateways, subject] = [openGateways(count), limited('rowsRead', quota)];
        const spend = (gateway: Limiter): Promise<number> => runQuery(gateway, subject);
        for (const events of windows) {
          for (const spent of await runWindow(gateways, events, spend))
            expect(spent).toBeLessThan(quota + 8 * COST.rowsRead);
        }
      }),
      { numRuns: 50 },
    );
  });
});
