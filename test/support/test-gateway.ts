import type { RequestListener } from 'node:http';
import request, { type Response, type Test } from 'supertest';

import { Cursors } from '../../src/gateway/auth/cursors.js';
import type { Principal } from '../../src/gateway/auth/principal.js';
import { LocalStore } from '../../src/gateway/cache/local-store.js';
import type { Endpoint } from '../../src/endpoint/endpoint.js';
import { EndpointRegistry } from '../../src/endpoint/registry.js';
import { AccessLog } from '../../src/gateway/http/transport/access-log.js';
import { EveryResponse } from '../../src/gateway/http/transport/every-response.js';
import { createApp, type AppDependencies } from '../../src/gateway/http/app.js';
import { createFastPath } from '../../src/gateway/http/call/fast-path.js';
import { KnownTargets } from '../../src/gateway/http/call/known-targets.js';
import { RunningCalls } from '../../src/gateway/http/call/running-calls.js';
import { createHttpServer } from '../../src/gateway/http/transport/server.js';
import { createCallExecutor } from '../../src/gateway/query/execute-call.js';
import { createFetcher, withoutCoalescing } from '../../src/gateway/query/fetch-result.js';
import type { Clock } from '../../src/gateway/query/ports.js';
import { FakeRunQuery } from './fake-run-query.js';
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

export interface TestGatewayOptions extends Partial<
  Pick<
    AppDependencies,
    | 'isClickHouseUp'
    | 'hasFullDisk'
    | 'aheadSeconds'
    | 'isDraining'
    | 'corsOrigins'
    | 'times'
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
export async function createTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const { endpoints: own, clock = stoppedClock, principals: principals = {}, ...parts } = options;
  const endpoints = own ? new EndpointRegistry(own) : await referenceEndpoints();
  const runQuery = new FakeRunQuery();
  const logger = new RecordingLogger();
  const listener = listenerOf(endpoints, runQuery, logger, { clock, principals: principals, ...parts });
  const agent = (): ReturnType<typeof request> => request(createHttpServer(listener, logger));
  return { listener, runQuery, logger, agent, get: (url) => agent().get(url).set('X-API-KEY', KEY) };
}

function listenerOf(
  endpoints: EndpointRegistry,
  runQuery: FakeRunQuery,
  logger: RecordingLogger,
  {
    clock,
    principals: principals,
    ...parts
  }: Partial<AppDependencies> & {
    readonly clock: Clock;
    readonly principals: Readonly<Record<string, Principal>>;
  },
): RequestListener {
  const store = new LocalStore(10_000_000, clock);
  const onOutcome = (): undefined => undefined;
  const coalesceAcrossGateways = withoutCoalescing(store);
  const fetchResult = createFetcher({
    runQuery: runQuery.run,
    store,
    coalesceAcrossGateways,
    clock,
    onJoined: onOutcome,
  });
  const owner = { name: 'tester', mayBypassCache: true, mayCallGatewayEndpoints: true };
  const { corsOrigins = [] } = parts;
  const shared = {
    endpoints,
    targets: new KnownTargets(() => true),
    clock,
    credentials: testCredentials({ [KEY]: owner, ...principals }, clock),
    cursors: new Cursors(undefined),
    limiter: testLimiter(),
    maxRangedBytes: store.maxEntryBytes,
    everyResponse: new EveryResponse({ log: new AccessLog(logger), corsOrigins }),
  };
  const app = createApp({
    ...shared,
    ...plainCalls,
    runningCalls: new RunningCalls(clock),
    executeCall: createCallExecutor({ store, fetchResult, clock, onOutcome }),
    isClickHouseUp: () => Promise.resolve(true),
    isDraining: () => false,
    corsOrigins: [],
    version: '0.0.0-test',
    ...parts,
  });
  const find = (hash: string, now: number): ReturnType<LocalStore['find']> => store.find(hash, now);
  const fastPath = createFastPath({ ...shared, find, onOutcome });
  return (incoming, response) => {
    if (!fastPath(incoming, response)) app(incoming, response);
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
