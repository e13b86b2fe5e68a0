import type { RequestListener } from 'node:http';
import request, { type Response, type Test } from 'supertest';

import { Cursors } from '../../src/gateway/auth/cursors.js';
import type { Principal } from '../../src/gateway/auth/principal.js';
import { LocalStore } from '../../src/gateway/cache/local-store.js';
import type { Endpoint } from '../../src/endpoint/endpoint.js';
import { EndpointRegistry } from '../../src/endpoint/registry.js';
import { readConfig } from '../../src/gateway/config/config.js';
import type { AppParts } from '../../src/gateway/http/app.js';
import { RunningCalls } from '../../src/gateway/http/call/running-calls.js';
import { createHttpServer } from '../../src/gateway/http/transport/server.js';
import { Metrics } from '../../src/gateway/observability/metrics.js';
import type { OnOutcome } from '../../src/gateway/query/execute-call.js';
import type { Clock } from '../../src/gateway/query/ports.js';
import { createListener, type PublicParts } from '../../src/gateway/server/create-listener.js';
import { FakeRunQuery } from './fake-run-query.js';
import { queryParts } from './query-parts.js';
import { RecordingLogger } from './recording-logger.js';
import { testCredentials, testLimiter, plainCalls } from './test-credentials.js';
import { referenceEndpoints } from './reference-project.js';

/** The key that the test gateway accepts; its principal is `tester`. */
export const KEY = 'qg_only-for-tests';

/** A valid request to any gateway with the shipped endpoints. */
export const GOOD_CALL = '/api/endpoints/query/usage.api-counts?project=a&interval=daily';

/** A gateway without a listening server or ClickHouse: its HTTP interface on fakes, with a cache of its own. */
export interface TestGateway {
  readonly listener: RequestListener;
  readonly runQuery: FakeRunQuery;
  readonly logger: RecordingLogger;
  /** Returns a client without a key, on a new server with the gateway's limits. */
  readonly agent: () => ReturnType<typeof request>;
  /** Sends a request with the valid key. */
  readonly get: (url: string) => Test;
}

export interface TestGatewayOptions
  extends
    Partial<Pick<PublicParts['config'], 'corsOrigins' | 'times'>>,
    Partial<
      Pick<
        PublicParts & AppParts,
        | 'isClickHouseUp'
        | 'hasFullDisk'
        | 'aheadSeconds'
        | 'isDraining'
        | 'consoleFolder'
        | 'bodies'
        | 'mcp'
        | 'development'
      >
    > {
  /** Default: the shipped endpoints. */
  readonly endpoints?: readonly Endpoint[];
  /** Default: a stopped clock. */
  readonly clock?: Clock;
  /** Further principals, by key. */
  readonly principals?: Readonly<Record<string, Principal>>;
}

const stoppedClock: Clock = () => new Date('2026-05-17T10:05:03.000Z');

/** Creates a gateway on fakes. */
export async function createTestGateway({
  endpoints,
  clock = stoppedClock,
  principals = {},
  corsOrigins = [],
  times = 'iso',
  ...parts
}: TestGatewayOptions = {}): Promise<TestGateway> {
  const runQuery = new FakeRunQuery();
  const logger = new RecordingLogger();
  const owner = { name: 'tester', mayBypassCache: true, mayCallGatewayEndpoints: true };
  const plain = plainParts({
    endpoints: endpoints ? new EndpointRegistry(endpoints) : await referenceEndpoints(),
    credentials: testCredentials({ [KEY]: owner, ...principals }, clock),
    ...{ runQuery, logger, clock },
  });
  const config = { ...plain.config, corsOrigins, times };
  const listener = createListener({ ...plain, ...parts, config });
  const agent = (): ReturnType<typeof request> => request(createHttpServer(listener, logger));
  return { listener, runQuery, logger, agent, get: (url) => agent().get(url).set('X-API-KEY', KEY) };
}

/** What the public API of a gateway on fakes is made of: with a cache, and without exports, own SQL and deferred calls. */
export function plainParts({
  endpoints,
  credentials,
  runQuery,
  logger,
  clock,
  onOutcome = () => undefined,
}: Pick<PublicParts, 'endpoints' | 'credentials' | 'logger' | 'clock'> & {
  readonly runQuery: FakeRunQuery;
  readonly onOutcome?: OnOutcome;
}): PublicParts & { readonly store: LocalStore; readonly consoleFolder: string | undefined } {
  const store = new LocalStore(10_000_000, clock);
  return {
    config: { ...readConfig({}), mcp: undefined },
    ...queryParts({ runQuery: runQuery.run, store, clock, onOutcome }),
    ...{ endpoints, credentials, logger, store },
    metrics: new Metrics(),
    cursors: new Cursors(undefined),
    limiter: testLimiter(),
    find: (hash, now) => store.find(hash, now),
    maxRangedBytes: store.maxEntryBytes,
    runningCalls: new RunningCalls(clock),
    isClickHouseUp: () => Promise.resolve(true),
    isDraining: () => false,
    consoleFolder: undefined,
    version: '0.0.0-test',
    ...plainCalls,
  };
}

/** A supertest parser that returns the body's bytes unchanged. */
export function binary(response: Response, done: (error: Error | null, body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  const stream = response as unknown as NodeJS.ReadableStream;
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('end', () => {
    done(null, Buffer.concat(chunks));
  });
}

/** The body of an error response. */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly requestId: string;
  readonly error: string;
  readonly problems?: readonly { readonly param: string; readonly problem: string }[];
}

/** Parses the problem document of a response, and expects the headers of one. */
export function problemOf(response: Response): ProblemDocument {
  expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8');
  const problem = JSON.parse(response.text) as ProblemDocument;
  expect(problem.status).toBe(response.status);
  expect(problem.requestId).toBe(response.headers['x-request-id']);
  expect(problem.error).toBe(problem.detail);
  return problem;
}
