import type { Subject } from '../../../../src/gateway/limits/limit-state.js';
import { Limiter } from '../../../../src/gateway/limits/limiter.js';
import { PlaceOfCall } from '../../../../src/gateway/limits/place-of-call.js';
import { settled } from '../scheduler/manual-timers.js';

const COST = { rowsRead: 10, bytesRead: 10, clickhouseMs: 1 };

describe('the place of a call', () => {
  const now = (): number => 0;
  const limiterOf = (takePermit?: () => Promise<boolean>): Limiter => {
    const shared = takePermit && {
      ...{ takePermit, returnPermit: () => Promise.resolve(), count: () => Promise.resolve(undefined) },
    };
    return new Limiter(now, shared);
  };
  const placeIn = (limiter: Limiter, concurrent: number): PlaceOfCall => {
    const rules = { concurrent, rowsRead: { quota: 100, window: 60 } };
    const subject: Subject = { kind: 'key', name: 'a', rules };
    return new PlaceOfCall(() => limiter.admitQuery([subject]));
  };
  /** Admits queries, and notes in which order. */
  const admit = (place: PlaceOfCall, count: number, started: number[]) =>
    Array.from({ length: count }, async (_, query) => {
      const permit = await place.admitQuery();
      started.push(query);
      return permit;
    });

  it.each([1, 2, 3])('has as many queries at a time as a limit of %s leaves, and all run', async (max) => {
    const started: number[] = [];
    const limiter = limiterOf();
    const queries = admit(placeIn(limiter, max), 4, started);
    for (let ended = 0; ended < 4; ended += 1) {
      await settled();
      expect(started).toHaveLength(Math.min(4, max + ended));
      await (await queries[started[ended] ?? 0])?.settle(COST);
    }
    // The cost of each was charged, and no permit is left.
    const { states, settle } = await placeIn(limiter, 1).admitQuery();
    expect(states).toHaveLength(1);
    await settle();
    const [used] = limiter.quotasOf({
      kind: 'key',
      name: 'a',
      rules: { rowsRead: { quota: 100, window: 60 } },
    });
    expect(used?.used).toBe(40);
  });

  it('rejects another call while it has the limit', async () => {
    const limiter = limiterOf();
    const first = await placeIn(limiter, 1).admitQuery();
    await expect(placeIn(limiter, 1).admitQuery()).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    await first.settle();
    await (await placeIn(limiter, 1).admitQuery()).settle();
  });

  it('rejects all its queries where other gateways have the limit', async () => {
    const limiter = limiterOf(() => Promise.resolve(false));
    const outcomes = await Promise.allSettled(admit(placeIn(limiter, 1), 3, []));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });
});
