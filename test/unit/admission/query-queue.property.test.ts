import fc from 'fast-check';

import { QueryQueue } from '../../../src/admission/query-queue.js';
import { resultOf } from '../../support/fake-run-query.js';
import { asked } from './asked.js';
import { ManualTimers, settled } from './manual-timers.js';

/** A thing that happens to the queue: somebody asks, a running query ends, a waiting caller leaves. */
const EVENT = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('ask' as const),
      lane: fc.constantFrom('a', 'a', 'a', 'b', 'c', 'd'),
      priority: fc.constantFrom('interactive' as const, 'interactive' as const, 'warming' as const),
    }),
  },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('end' as const), nth: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('leave' as const), nth: fc.nat(20) }) },
);
type Happening = typeof EVENT extends fc.Arbitrary<infer E> ? E : never;

const ask = (lane: 'a' | 'b' | 'c' | 'd'): Happening => ({ does: 'ask', lane, priority: 'interactive' });

const SIZES = fc.record({
  slots: fc.integer({ min: 1, max: 4 }),
  maxWaiting: fc.integer({ min: 0, max: 6 }),
});

/** A lane that others went before, that leaves, and that comes back to wait from the beginning. */
const LEFT_AND_BACK: readonly Happening[] = [
  ...(['a', 'b', 'c', 'a', 'd'] as const).map(ask),
  { does: 'end', nth: 0 },
  { does: 'end', nth: 0 },
  { does: 'leave', nth: 1 },
  ...(['b', 'c', 'd'] as const).map(ask),
  { does: 'end', nth: 0 },
  { does: 'end', nth: 0 },
];

interface Asked {
  readonly id: number;
  readonly lane: string;
  readonly priority: 'interactive' | 'warming';
  readonly leaving: AbortController;
  state: 'waiting' | 'running' | 'over';
  end?: () => void;
}

class World {
  readonly all: Asked[] = [];
  /** Grants since each waiting interactive lane was last served, or began to wait. */
  readonly passedOver = new Map<string, number>();
  /** Grants that should not have been; kept for {@link check}, since what is thrown in a query is the query's failure. */
  private readonly wrongGrants: string[] = [];
  private readonly queue: QueryQueue;
  private readonly run;

  constructor(private readonly sizes: { slots: number; maxWaiting: number }) {
    this.queue = new QueryQueue({ ...sizes, maxWaitMs: 1000, setTimer: new ManualTimers().setTimer });
    this.run = this.queue.limit(
      ({ requestId }) =>
        new Promise((resolve) => {
          const one = this.byId(Number(requestId));
          this.granted(one);
          one.end = () => {
            resolve(resultOf([]));
          };
        }),
    );
  }

  in(state: Asked['state'], priority?: string): Asked[] {
    return this.all.filter((one) => one.state === state && (!priority || one.priority === priority));
  }

  async happen(event: Happening): Promise<void> {
    if (event.does === 'ask') this.ask(event.lane, event.priority);
    else {
      const among = this.in(event.does === 'end' ? 'running' : 'waiting');
      const one = among[event.nth % Math.max(1, among.length)];
      if (event.does === 'end') one?.end?.();
      else one?.leaving.abort(new Error('gone'));
    }
    await settled();
    for (const lane of this.passedOver.keys()) if (!this.isWaiting(lane)) this.passedOver.delete(lane);
    this.check();
  }

  private isWaiting(lane: string): boolean {
    return this.in('waiting', 'interactive').some((one) => one.lane === lane);
  }

  private ask(lane: string, priority: Asked['priority']): void {
    const one: Asked = {
      id: this.all.length,
      lane,
      priority,
      leaving: new AbortController(),
      state: 'waiting',
    };
    this.all.push(one);
    const over = (): void => {
      one.state = 'over';
    };
    this.run(asked(String(one.id), { lane, priority }, one.leaving.signal)).then(over, over);
  }

  private granted(one: Asked): void {
    one.state = 'running';
    if (one.priority === 'warming') {
      const before = this.in('waiting', 'interactive').map(({ id }) => id);
      if (before.length > 0) this.wrongGrants.push(`warming ${one.id} before ${before.join(', ')}`);
      return;
    }
    const lanes = new Set(this.in('waiting', 'interactive').map(({ lane }) => lane));
    this.passedOver.delete(one.lane);
    for (const lane of lanes) {
      if (lane === one.lane) continue;
      const times = (this.passedOver.get(lane) ?? 0) + 1;
      this.passedOver.set(lane, times);
      // Four lanes there are: each is served at least once in four grants.
      if (times >= 4) this.wrongGrants.push(`${one.id} of ${one.lane}, the ${times}th before ${lane}`);
    }
  }

  private check(): void {
    const { slots, maxWaiting } = this.sizes;
    const [running, waiting] = [this.in('running'), this.in('waiting')];
    expect(this.wrongGrants).toEqual([]);
    expect(this.queue.figures).toEqual({
      running: running.length,
      waiting: waiting.length,
      waitingInteractive: this.in('waiting', 'interactive').length,
    });
    expect(running.length).toBeLessThanOrEqual(slots);
    expect(waiting.length).toBeLessThanOrEqual(maxWaiting);
    // No place stays empty while somebody may have it.
    if (this.in('waiting', 'interactive').length > 0) expect(running).toHaveLength(slots);
    if (waiting.length > 0) expect(running.length).toBeGreaterThanOrEqual(Math.max(1, slots - 1));
  }

  private byId(id: number): Asked {
    const one = this.all[id];
    if (!one) throw new Error(`nobody asked ${id}`);
    return one;
  }
}

describe('QueryQueue, whatever happens', () => {
  it('never runs or holds more than it may, passes no lane over, and ends empty', async () => {
    await fc.assert(
      fc.asyncProperty(SIZES, fc.array(EVENT, { maxLength: 60 }), async (sizes, events) => {
        const world = new World(sizes);
        for (const event of events) await world.happen(event);
        while (world.in('running').length > 0) await world.happen({ does: 'end', nth: 0 });
        expect(world.in('waiting')).toEqual([]);
      }),
      { numRuns: 300, examples: [[{ slots: 1, maxWaiting: 6 }, [...LEFT_AND_BACK]]] },
    );
  });
});
