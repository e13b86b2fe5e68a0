import { LocalStore } from '../../src/cache/local-store.js';
import type { Endpoint } from '../../src/endpoint/endpoint.js';
import type { CacheKey } from '../../src/query/cache-key.js';
import { keyOf, type CallOutcome, type EndpointQuery } from '../../src/query/call.js';
import { createCallExecutor, type ExecuteCall } from '../../src/query/execute-call.js';
import { createFetcher, withoutCoalescing } from '../../src/query/fetch-result.js';
import type { QueryResult } from '../../src/query/ports.js';
import { validateParameters } from '../../src/query/validate-parameters.js';
import { QueryBudget } from '../../src/warming/query-budget.js';
import { UsageLedger } from '../../src/warming/usage-ledger.js';
import { Warmer, type WarmerParts } from '../../src/warming/warmer.js';
import { resultOf } from './fake-run-query.js';
import { rawParameters } from './raw-parameters.js';
import { TestClock } from './test-clock.js';

/** A query that reached the stand-in for ClickHouse. */
export interface SeenQuery {
  readonly by: 'caller' | 'warming';
  /** Seconds since the gateway was made. */
  readonly at: number;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface WarmedGatewayOptions extends Partial<
  Pick<WarmerParts, 'maxSets' | 'concurrency' | 'isBusy' | 'isLeader'>
> {
  /** Share of wall time. */
  readonly budget?: number;
}

/** The way from a question to its answer with the worker beside it: real parts on a stand-in for ClickHouse. */
export class WarmedGateway {
  readonly clock = new TestClock();
  readonly queries: SeenQuery[] = [];
  readonly outcomes: string[] = [];
  /** Of each refresh, how long after it was due it started. */
  readonly lateMs: number[] = [];
  readonly store = new LocalStore(1e8, this.clock.read);
  readonly ledger = new UsageLedger(1000);
  readonly warmer: Warmer;
  /** What a query gives; each result has as its only row which query it was. */
  respond: () => Promise<QueryResult> = () => Promise.resolve(resultOf([{ query: this.queries.length }]));
  private readonly startedAt = this.clock.milliseconds;
  private readonly executeCall: ExecuteCall;

  constructor(endpoints: readonly Endpoint[], options: WarmedGatewayOptions = {}) {
    const { budget = 1, ...parts } = options;
    const clock = this.clock.read;
    const fetchResult = createFetcher({
      runQuery: ({ requestId, query }) => {
        const by = requestId === 'warming' ? 'warming' : 'caller';
        this.queries.push({ by, at: this.seconds, parameters: query.parameters });
        return this.respond();
      },
      store: this.store,
      coalesceAcrossGateways: withoutCoalescing(this.store),
      clock,
      onJoined: () => undefined,
    });
    this.executeCall = createCallExecutor({
      store: this.store,
      fetchResult,
      clock,
      onOutcome: (query, key, { result }) => {
        this.ledger.count(key, query, clock().getTime(), result);
      },
    });
    const { signal } = new AbortController();
    this.warmer = new Warmer({
      endpoints,
      setsInUse: (endpointId) => Promise.resolve(this.ledger.sets(endpointId, this.clock.milliseconds)),
      forget: (key) => {
        this.ledger.forget(key);
      },
      refresh: async (query, key) =>
        (await fetchResult({ ...query, requestId: 'warming', signal, refresh: true }, key)).result,
      isLeader: () => true,
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

  /** Since the gateway was made. */
  get seconds(): number {
    return (this.clock.milliseconds - this.startedAt) / 1000;
  }

  get refreshes(): readonly SeenQuery[] {
    return this.queries.filter(({ by }) => by === 'warming');
  }

  /** A caller's question; without parameters, the endpoint's example. */
  send(endpoint: Endpoint, parameters = endpoint.example): Promise<CallOutcome> {
    const { signal } = new AbortController();
    return this.executeCall({
      ...queryOf(endpoint, parameters),
      requestId: 'caller',
      signal,
      demand: 'any',
    });
  }

  /** Has a set asked for without an answer, as if another had asked. */
  use(endpoint: Endpoint, parameters = endpoint.example): { readonly key: CacheKey } {
    const query = queryOf(endpoint, parameters);
    const key = keyOf(query);
    const cost = { createdAt: this.clock.milliseconds, clickhouseMs: 1.5 };
    this.ledger.count(key, query, this.clock.milliseconds, cost);
    return { key };
  }

  /** Has the endpoint's set warmed from the start. */
  declare(endpoint: Endpoint, parameters = endpoint.example): void {
    const query = queryOf(endpoint, parameters);
    this.ledger.declare(keyOf(query), query);
  }

  /** Lets time pass, a tick of the worker each second; what callers do comes before it. */
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

/** Seconds since the query of an answer began. */
export function ageOf({ clock }: WarmedGateway, { result }: CallOutcome): number {
  return (clock.milliseconds - result.createdAt) / 1000;
}

/** Asks an endpoint for each city as often as it is named. */
export async function requestCities(
  gateway: WarmedGateway,
  endpoint: Endpoint,
  cities: readonly string[],
): Promise<void> {
  for (const city of cities) await gateway.send(endpoint, { city });
}

/** The cities whose answers were refreshed, in that order. */
export function refreshedCities({ refreshes }: WarmedGateway): readonly unknown[] {
  return refreshes.map(({ parameters }) => parameters['city']);
}
