import { LocalStore } from '../../src/gateway/cache/local-store.js';
import { UsageLedger } from '../../src/gateway/warming/usage-ledger.js';
import type { Endpoint } from '../../src/endpoint/endpoint.js';
import { keyOf, type CacheKey } from '../../src/gateway/query/cache-key.js';
import type { CallOutcome } from '../../src/gateway/query/call.js';
import type { EndpointQuery } from '../../src/gateway/query/endpoint-query.js';
import { executeCall, type QueryParts } from '../../src/gateway/query/execute-call.js';
import { fetchResult, wantedOf } from '../../src/gateway/query/fetch-result.js';
import type { QueryResult } from '../../src/gateway/query/ports.js';
import { validateParameters } from '../../src/gateway/query/validate-parameters.js';
import { QueryBudget } from '../../src/gateway/warming/query-budget.js';
import { Warmer, type WarmerDependencies } from '../../src/gateway/warming/warmer.js';
import { costOf, resultOf } from './fake-run-query.js';
import { queryParts } from './query-parts.js';
import { rawParameters } from './raw-parameters.js';
import { TestClock } from './test-clock.js';

/** A query that reached the fake ClickHouse. */
export interface SeenQuery {
  readonly by: 'caller' | 'warming';
  /** Seconds since the gateway was created. */
  readonly at: number;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface WarmedGatewayOptions extends Partial<
  Pick<WarmerDependencies, 'maxSets' | 'concurrency' | 'isBusy' | 'refresh' | 'onRefreshed'>
> {
  /** Share of wall time. */
  readonly budget?: number;
}

/** A call's path from request to result, with the warming worker beside it: real parts on a fake ClickHouse. */
export class WarmedGateway {
  readonly clock = new TestClock();
  readonly queries: SeenQuery[] = [];
  readonly outcomes: string[] = [];
  /** Delay of each refresh after its due time. */
  readonly lateMs: number[] = [];
  readonly store = new LocalStore(1e8, this.clock.read);
  readonly ledger = new UsageLedger(1000);
  readonly warmer: Warmer;
  /** Runs a query; by default the result's only row is the number of queries so far. */
  respond: () => Promise<QueryResult> = () => Promise.resolve(resultOf([{ query: this.queries.length }]));
  private readonly startedAt = this.clock.milliseconds;
  private readonly parts: QueryParts;

  constructor(endpoints: readonly Endpoint[], options: WarmedGatewayOptions = {}) {
    const { budget = 1, ...parts } = options;
    const clock = this.clock.read;
    this.parts = queryParts({
      runQuery: ({ requestId, query }) => {
        const by = requestId === 'warming' ? 'warming' : 'caller';
        this.queries.push({ by, at: this.seconds, parameters: query.parameters });
        return this.respond();
      },
      ...{ store: this.store, clock },
      onOutcome: (query, key, { result }) => {
        this.ledger.count(key, query, clock().getTime(), result);
      },
    });
    const { signal } = new AbortController();
    this.warmer = new Warmer({
      endpoints: () => endpoints,
      setsInUse: (endpointId) => this.ledger.sets(endpointId, this.clock.milliseconds),
      forget: (key) => {
        this.ledger.forget(key);
      },
      refresh: async (query, key) => {
        const call = { ...query, requestId: 'warming', signal, demand: 'fresh' } as const;
        const wanted = wantedOf(this.parts, call, key);
        return { ...(await fetchResult(this.parts, wanted, key)), isQueried: true };
      },
      isBusy: () => false,
      budget: new QueryBudget(budget, clock),
      maxSets: 100,
      concurrency: 1,
      clock,
      onStarted: (_endpoint, lateMs) => this.lateMs.push(lateMs),
      onRefreshed: ({ name }, outcome) => this.outcomes.push(`${name} ${outcome}`),
      ...parts,
    });
  }

  /** Seconds since the gateway was created. */
  get seconds(): number {
    return (this.clock.milliseconds - this.startedAt) / 1000;
  }

  get refreshes(): readonly SeenQuery[] {
    return this.queries.filter(({ by }) => by === 'warming');
  }

  /** Sends a caller's request; default parameters: the endpoint's example. */
  send(endpoint: Endpoint, parameters = endpoint.example): Promise<CallOutcome> {
    const { signal } = new AbortController();
    return executeCall(this.parts, {
      ...queryOf(endpoint, parameters),
      requestId: 'caller',
      signal,
      demand: 'any',
    });
  }

  /** Counts a use of a parameter set without a request, as if a caller of another gateway had requested it. */
  use(endpoint: Endpoint, parameters = endpoint.example): { readonly key: CacheKey } {
    const query = queryOf(endpoint, parameters);
    const key = keyOf(query);
    const created = { createdAt: this.clock.milliseconds, cost: costOf({}) };
    this.ledger.count(key, query, this.clock.milliseconds, created);
    return { key };
  }

  /** Declares the parameter set for warming from the start. */
  declare(endpoint: Endpoint, parameters = endpoint.example): void {
    const query = queryOf(endpoint, parameters);
    this.ledger.declare([{ key: keyOf(query), query }]);
  }

  /** Advances the time with one tick of the worker per second; `callers` runs before each tick. */
  async pass(
    seconds: number,
    callers: (second: number) => Promise<unknown> | undefined = () => undefined,
  ): Promise<void> {
    for (let passed = 0; passed < seconds; passed += 1) {
      await callers(this.seconds);
      await this.warmer.tick();
      this.clock.advance(1);
    }
  }
}

function queryOf(endpoint: Endpoint, parameters: Readonly<Record<string, string>>): EndpointQuery {
  return { endpoint, values: validateParameters(endpoint, rawParameters(parameters)), scope: '' };
}

/** Returns the seconds since the result was created. */
export function ageOf({ clock }: WarmedGateway, { result }: CallOutcome): number {
  return (clock.milliseconds - result.createdAt) / 1000;
}

/** Requests an endpoint's result for each city, in order. */
export async function requestCities(
  gateway: WarmedGateway,
  endpoint: Endpoint,
  cities: readonly string[],
): Promise<void> {
  for (const city of cities) await gateway.send(endpoint, { city });
}

/** Returns the cities whose results were refreshed, in order. */
export function refreshedCities({ refreshes }: WarmedGateway): readonly unknown[] {
  return refreshes.map(({ parameters }) => parameters['city']);
}
