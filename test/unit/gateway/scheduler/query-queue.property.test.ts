import fc from 'fast-check';

import type {
  Requester,
  Priority,
  QueryRequest,
  QueryResult,
  RunQuery,
} from '../../../../src/gateway/query/ports.js';
import { SingleFlight } from '../../../../src/gateway/query/single-flight.js';
import { QueryQueue } from '../../../../src/gateway/scheduler/query-queue.js';
import { resultOf } from '../../../support/fake-run-query.js';
import { ManualTimers, settled } from './manual-timers.js';
import { inSlotOf, sampleRequest } from './sample-request.js';

const LANE = fc.constantFrom('a', 'a', 'a', 'b', 'c', 'd');
const PRIORITY = fc.constantFrom('interactive' as const, 'interactive' as const, 'warming' as const);

/** An event of the queue: a query is requested, another caller joins it, it ends, or a waiting caller leaves. */
const EVENT = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ does: fc.constant('request' as const), lane: LANE, priority: PRIORITY }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('join' as const),
      nth: fc.nat(20),
      lane: LANE,
      priority: PRIORITY,
    }),
  },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('end' as const), nth: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('leave' as const), nth: fc.nat(20) }) },
);
type QueueEvent = typeof EVENT extends fc.Arbitrary<infer E> ? E : never;

const request = (lane: 'a' | 'b' | 'c' | 'd'): QueueEvent => ({
  does: 'request',
  lane,
  priority: 'interactive',
});

const SIZES = fc.record({
  slots: fc.integer({ min: 1, max: 4 }),
  maxWaiting: fc.integer({ min: 0, max: 6 }),
});

/** A lane that others preceded, whose callers leave, and that returns and waits from the start. */
const LEFT_AND_BACK: readonly QueueEvent[] = [
  ...(['a', 'b', 'c', 'a', 'd'] as const).map(request),
  { does: 'end', nth: 0 },
  { does: 'end', nth: 0 },
  { does: 'leave', nth: 1 },
  ...(['b', 'c', 'd'] as const).map(request),
  { does: 'end', nth: 0 },
  { does: 'end', nth: 0 },
];

interface Caller {
  readonly lane: string;
  readonly priority: Priority;
  readonly leaving: AbortController;
}

interface Query {
  readonly id: number;
  /** Callers that wait for its result. */
  readonly callers: Set<Caller>;
  state: 'waiting' | 'running' | 'over';
  end?: () => void;
}

const isInteractive = ({ callers }: Query): boolean =>
  [...callers].some(({ priority }) => priority === 'interactive');
const lanesOf = (query: Query): readonly string[] =>
  [...query.callers].filter(({ priority }) => priority === 'interactive').map(({ lane }) => lane);

class Simulation {
  readonly all: Query[] = [];
  /** Granted slots since each waiting interactive lane was last served, or started to wait. */
  readonly passedOver = new Map<string, number>();
  /** Wrong grants, for {@link check}: an error thrown in a query would only fail that query. */
  private readonly wrongGrants: string[] = [];
  private readonly flights = new SingleFlight<unknown>();
  private readonly queue: QueryQueue;
  private readonly run: RunQuery;

  constructor(private readonly sizes: { slots: number; maxWaiting: number }) {
    this.queue = new QueryQueue({ ...sizes, maxWaitMs: 1000, setTimer: new ManualTimers().setTimer });
    this.run = inSlotOf(
      this.queue,
      ({ requestId }: QueryRequest) =>
        new Promise<QueryResult>((resolve) => {
          const query = this.byId(Number(requestId));
          this.granted(query);
          query.end = () => {
            resolve(resultOf([]));
          };
        }),
    );
  }

  in(state: Query['state']): Query[] {
    return this.all.filter((query) => query.state === state);
  }

  async apply(event: QueueEvent): Promise<void> {
    this.start(event);
    await settled();
    const waiting = this.waitingLanes();
    for (const lane of this.passedOver.keys()) if (!waiting.has(lane)) this.passedOver.delete(lane);
    this.check();
  }

  private start(event: QueueEvent): void {
    if (event.does === 'request') {
      this.request(event);
      return;
    }
    const among = this.in(event.does === 'end' ? 'running' : 'waiting');
    const query = among[event.nth % Math.max(1, among.length)];
    if (!query) return;
    if (event.does === 'end') query.end?.();
    else if (event.does === 'join') this.join(query, event);
    else [...query.callers].at(-1)?.leaving.abort(new Error('left'));
  }

  private waitingLanes(): ReadonlySet<string> {
    return new Set(this.in('waiting').flatMap(lanesOf));
  }

  private request(requester: Requester): void {
    const query: Query = { id: this.all.length, callers: new Set(), state: 'waiting' };
    this.all.push(query);
    this.join(query, requester);
  }

  private join(query: Query, { lane, priority }: Requester): void {
    const caller = { lane, priority, leaving: new AbortController() };
    query.callers.add(caller);
    const over = (): void => {
      query.callers.delete(caller);
      if (query.callers.size === 0) query.state = 'over';
    };
    const { id } = query;
    const joining = { signal: caller.leaving.signal, requester: { lane, priority } };
    this.flights
      .join(String(id), joining, ({ requester, signal }) =>
        this.run({ ...sampleRequest(String(id), {}, signal), requester }),
      )
      .then(over, over);
  }

  private granted(query: Query): void {
    query.state = 'running';
    const waiting = this.in('waiting').filter(isInteractive);
    if (!isInteractive(query)) {
      if (waiting.length > 0) this.wrongGrants.push(`warming ${query.id} before ${waiting.length}`);
      return;
    }
    const served = lanesOf(query);
    for (const lane of served) this.passedOver.delete(lane);
    for (const lane of this.waitingLanes()) {
      if (served.includes(lane)) continue;
      const times = (this.passedOver.get(lane) ?? 0) + 1;
      this.passedOver.set(lane, times);
      // There are four lanes: each is served at least once in four grants.
      if (times >= 4) this.wrongGrants.push(`${query.id}, the ${times}th before ${lane}`);
    }
  }

  private check(): void {
    const { slots, maxWaiting } = this.sizes;
    const [running, waiting] = [this.in('running'), this.in('waiting')];
    const interactive = waiting.filter(isInteractive);
    expect(this.wrongGrants).toEqual([]);
    expect(this.queue.figures).toEqual({
      running: running.length,
      waiting: waiting.length,
      waitingInteractive: interactive.length,
    });
    expect(running.length).toBeLessThanOrEqual(slots);
    expect(waiting.length).toBeLessThanOrEqual(maxWaiting);
    // No slot stays free while a query may take it.
    if (interactive.length > 0) expect(running).toHaveLength(slots);
    if (waiting.length > 0) expect(running.length).toBeGreaterThanOrEqual(Math.max(1, slots - 1));
  }

  private byId(id: number): Query {
    const query = this.all[id];
    if (!query) throw new Error(`no query ${id}`);
    return query;
  }
}

describe('QueryQueue, for any sequence of events', () => {
  it('never exceeds its bounds, serves every lane in turn, and ends empty', async () => {
    await fc.assert(
      fc.asyncProperty(SIZES, fc.array(EVENT, { maxLength: 60 }), async (sizes, events) => {
        const simulation = new Simulation(sizes);
        for (const event of events) await simulation.apply(event);
        while (simulation.in('running').length > 0) await simulation.apply({ does: 'end', nth: 0 });
        expect(simulation.in('waiting')).toEqual([]);
      }),
      { numRuns: 300, examples: [[{ slots: 1, maxWaiting: 6 }, [...LEFT_AND_BACK]]] },
    );
  });
});
