import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { LocalStore } from '../../src/gateway/cache/local-store.js';
import type { Endpoint } from '../../src/endpoint/endpoint.js';
import { EndpointRegistry } from '../../src/endpoint/registry.js';
import { createHttpServer } from '../../src/gateway/http/transport/server.js';
import type { Metrics } from '../../src/gateway/observability/metrics.js';
import type { CacheStatus } from '../../src/gateway/query/call.js';
import type { OnOutcome } from '../../src/gateway/query/execute-call.js';
import { createListener } from '../../src/gateway/server/create-listener.js';
import { FakeRunQuery } from './fake-run-query.js';
import { RecordingLogger } from './recording-logger.js';
import { TestClock } from './test-clock.js';
import { testCredentials } from './test-credentials.js';
import { KEY, plainParts } from './test-gateway.js';

/** A key that may bypass the cache. */
export const BYPASS_KEY = 'qg_may-bypass-only-for-tests';

/** An HTTP response as received: not decompressed, with all headers. */
export interface NetworkResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export type RequestPath = 'slow path' | 'fast path';
export type Headers = Readonly<Record<string, string>>;

/**
 * One gateway with two HTTP servers that share cache, keys and clock: one sends every request through the
 * application, the other tries the fast path first, as in production.
 */
export class CachingGateway {
  readonly clock = new TestClock();
  readonly runQuery = new FakeRunQuery();
  readonly logger = new RecordingLogger();
  readonly metrics: Metrics;
  readonly store: LocalStore;
  /** Cache status of each request to an endpoint that caches, in order. */
  readonly statuses: CacheStatus[] = [];
  /** Number of requests that reached either server. */
  arrived = 0;
  /** Number of requests that the fast path completed. */
  servedOnFastPath = 0;
  private readonly servers: Readonly<Record<RequestPath, Server>>;

  constructor(endpoints: readonly Endpoint[]) {
    const clock = this.clock.read;
    const onOutcome: OnOutcome = (_query, _key, { status }) => this.statuses.push(status);
    const credentials = testCredentials(
      {
        [KEY]: { name: 'tester', mayBypassCache: false },
        [BYPASS_KEY]: { name: 'bypasser', mayBypassCache: true },
      },
      clock,
    );
    const { runQuery, logger } = this;
    const registry = new EndpointRegistry(endpoints);
    const parts = plainParts({ endpoints: registry, credentials, runQuery, logger, clock, onOutcome });
    this.metrics = parts.metrics;
    this.store = parts.store;
    const { app, fastPath } = createListener(parts);
    this.servers = {
      'slow path': createHttpServer(app, logger),
      'fast path': createHttpServer((incoming, response) => {
        if (fastPath(incoming, response)) this.servedOnFastPath += 1;
        else app(incoming, response);
      }, logger),
    };
    for (const server of Object.values(this.servers)) server.on('request', () => (this.arrived += 1));
  }

  async listen(): Promise<void> {
    await Promise.all(
      Object.values(this.servers).map((server) => once(server.listen(0, '127.0.0.1'), 'listening')),
    );
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.servers).map((server) => once(server.close(), 'close')));
  }

  port(via: RequestPath): number {
    return (this.servers[via].address() as AddressInfo).port;
  }

  /** Sends a request with the ordinary key and the listed headers only; a header with an empty value is not sent. */
  async send(
    via: RequestPath,
    path: string,
    headers: Headers = {},
    method = 'GET',
  ): Promise<NetworkResponse> {
    const sent = Object.entries({ 'X-API-KEY': KEY, ...headers }).filter(([, value]) => value !== '');
    const outgoing = request({
      port: this.port(via),
      path,
      method,
      agent: false,
      headers: Object.fromEntries(sent),
    });
    const [response] = (await once(outgoing.end(), 'response')) as [NodeJS.ReadableStream & Incoming];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: Buffer.concat(chunks),
    };
  }

  /** Sends the same request on both paths and expects the same response except for time-dependent headers. */
  async sendOnBothPaths(path: string, headers: Headers = {}, method = 'GET'): Promise<NetworkResponse> {
    const identified = { 'X-Request-Id': 'on-both-ways', ...headers };
    const slow = withoutDate(await this.send('slow path', path, identified, method));
    const fast = withoutDate(await this.send('fast path', path, identified, method));
    expect(fast).toEqual(slow);
    return slow;
  }
}

interface Incoming {
  readonly statusCode?: number;
  readonly headers: IncomingHttpHeaders;
}

function withoutDate({ headers, ...rest }: NetworkResponse): NetworkResponse {
  const { date, 'server-timing': timing, ...others } = headers;
  expect([date, others['x-cache'] === undefined || timing]).not.toContain(undefined);
  return { ...rest, headers: others };
}
