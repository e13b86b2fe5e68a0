import { readConfig } from '../../src/gateway/config/config.js';
import type { Endpoint } from '../../src/endpoint/endpoint.js';
import { EndpointRegistry } from '../../src/endpoint/registry.js';
import { JSON_REPRESENTATION, type Representation } from '../../src/gateway/formats/representation.js';
import { executeCall } from '../../src/gateway/query/execute-call.js';
import type { CacheStatus, CallOutcome } from '../../src/gateway/query/call.js';
import { validateParameters } from '../../src/gateway/query/validate-parameters.js';
import { openQueryExecution, type QueryExecution } from '../../src/gateway/server/open-query-execution.js';
import { FakeRunQuery } from './fake-run-query.js';
import { oneServer } from './query-server.js';
import { rawParameters } from './raw-parameters.js';
import { RecordingLogger } from './recording-logger.js';

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
  readonly runQuery = new FakeRunQuery();
  private readonly closers: (() => Promise<void> | void)[] = [];
  private opened: QueryExecution | undefined;

  static async open(options: SharedGatewayOptions): Promise<SharedGateway> {
    const gateway = new SharedGateway();
    const { redisUrl: REDIS_URL, keyPrefix: CACHE_KEY_PREFIX, clock, endpoints } = options;
    gateway.opened = await openQueryExecution(
      readConfig({ REDIS_URL, CACHE_KEY_PREFIX, WARM_BUDGET: '1' }),
      {
        endpoints: new EndpointRegistry(endpoints),
        servers: oneServer(gateway.runQuery.run),
        logger: new RecordingLogger(),
        clock: clock.read,
      },
      (close) => gateway.closers.push(close),
    );
    return gateway;
  }

  get execution(): QueryExecution {
    if (!this.opened) throw new Error('the gateway is not open');
    return this.opened;
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

  async close(): Promise<void> {
    for (const close of this.closers.splice(0).reverse()) await close();
  }
}
