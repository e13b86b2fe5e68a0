import { readConfig, type Environment } from '../../src/gateway/config/config.js';
import type { Endpoint } from '../../src/endpoint/endpoint.js';
import { EndpointRegistry } from '../../src/endpoint/registry.js';
import { executeCall } from '../../src/gateway/query/execute-call.js';
import type { CallOutcome, Call } from '../../src/gateway/query/call.js';
import type { Clock } from '../../src/gateway/query/ports.js';
import { openQueryExecution, type QueryExecution } from '../../src/gateway/server/open-query-execution.js';
import { FakeRunQuery } from './fake-run-query.js';
import { oneServer } from './query-server.js';
import { RecordingLogger } from './recording-logger.js';
import { sampleEndpoint } from './sample-endpoint.js';

/** A gateway's query execution on a fake ClickHouse. */
export interface TestExecution extends QueryExecution {
  readonly clickhouse: FakeRunQuery;
  readonly logger: RecordingLogger;
  /** Requests the first endpoint's result for a city. */
  readonly requestCity: (city: string, call?: Partial<Call>) => Promise<CallOutcome>;
  readonly close: () => Promise<void>;
}

export interface TestExecutionOptions {
  readonly environment?: Environment;
  readonly endpoints?: readonly Endpoint[];
  readonly clock?: Clock;
  readonly runQuery?: FakeRunQuery;
}

export async function openTestExecution(options: TestExecutionOptions = {}): Promise<TestExecution> {
  const { environment = {}, endpoints = [sampleEndpoint()], clock = () => new Date() } = options;
  const { runQuery = new FakeRunQuery() } = options;
  const [endpoint = sampleEndpoint()] = endpoints;
  const logger = new RecordingLogger();
  const closers: (() => Promise<void> | void)[] = [];
  const execution = await openQueryExecution(
    {
      config: readConfig(environment),
      endpoints: new EndpointRegistry(endpoints),
      servers: oneServer(runQuery.run),
      ...{ logger, clock },
    },
    (close) => closers.push(() => close(0)),
  );
  const requestCity: TestExecution['requestCity'] = (city, call = {}) =>
    executeCall(execution, {
      endpoint,
      values: new Map([['city', city]]),
      scope: '',
      requestId: 'test-execution',
      signal: new AbortController().signal,
      demand: 'any',
      ...call,
    });
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  return { ...execution, clickhouse: runQuery, logger, requestCity, close };
}
