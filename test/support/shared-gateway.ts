import type { Endpoint } from '../../src/endpoint/endpoint.js';
import { JSON_REPRESENTATION, type Representation } from '../../src/gateway/formats/representation.js';
import { executeCall } from '../../src/gateway/query/execute-call.js';
import type { CacheStatus, CallOutcome } from '../../src/gateway/query/call.js';
import { validateParameters } from '../../src/gateway/query/validate-parameters.js';
import { FakeRunQuery } from './fake-run-query.js';
import { rawParameters } from './raw-parameters.js';
import { openTestExecution, type TestExecution } from './test-execution.js';

/** The system clock plus an offset that a test sets; Redis uses the system clock without offset. */
export class AheadClock {
  private aheadMs = 0;

  readonly read = (): Date => new Date(Date.now() + this.aheadMs);

  /** @returns the new time; milliseconds since 1970. */
  advance(seconds: number): number {
    this.aheadMs += seconds * 1000;
    return this.read().getTime();
  }
}

export interface SharedGatewayOptions {
  readonly redisUrl: string;
  readonly keyPrefix: string;
  readonly clock: AheadClock;
  readonly endpoints: readonly Endpoint[];
}

/** One of several gateways that share a Redis: cache and warming as in production, with a fake ClickHouse. */
export class SharedGateway {
  private constructor(readonly execution: TestExecution) {}

  static async open(options: SharedGatewayOptions): Promise<SharedGateway> {
    const { redisUrl: REDIS_URL, keyPrefix: CACHE_KEY_PREFIX, clock, endpoints } = options;
    const environment = { REDIS_URL, CACHE_KEY_PREFIX, WARM_BUDGET: '1' };
    return new SharedGateway(await openTestExecution({ environment, endpoints, clock: clock.read }));
  }

  get runQuery(): FakeRunQuery {
    return this.execution.clickhouse;
  }

  /** Cities whose results this gateway refreshed. */
  get refreshed(): readonly unknown[] {
    const byWarming = this.runQuery.requests.filter(({ requestId }) => requestId.startsWith('warming-'));
    return byWarming.map(({ query }) => query.parameters['city']);
  }

  /** As {@link outcome}. */
  async send(
    endpoint: Endpoint,
    city: string,
    representation: Representation = JSON_REPRESENTATION,
  ): Promise<CacheStatus> {
    const { status } = await this.outcome(endpoint, city, representation);
    return status;
  }

  /** Sends a caller's request for a city. */
  outcome(
    endpoint: Endpoint,
    city: string,
    representation: Representation = JSON_REPRESENTATION,
  ): Promise<CallOutcome> {
    return executeCall(this.execution, {
      endpoint,
      values: validateParameters(endpoint, rawParameters({ city })),
      scope: '',
      representation,
      requestId: 'caller',
      signal: new AbortController().signal,
      demand: 'any',
    });
  }

  /** Runs the warming worker's tick of a second. */
  async round(): Promise<void> {
    // A tick that the worker's own timer started earlier would count as this one.
    await this.execution.warmer.idle();
    await this.execution.warmer.tick();
  }

  close(): Promise<void> {
    return this.execution.close();
  }
}
