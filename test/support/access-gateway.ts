import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { hashApiKey } from '../../src/gateway/auth/api-key.js';
import type { StoredRights } from '../../src/gateway/auth/key-file.js';
import { readConfig, type Environment } from '../../src/gateway/config/config.js';
import type { Endpoint } from '../../src/endpoint/endpoint.js';
import { EndpointRegistry } from '../../src/endpoint/registry.js';
import { createAdminApp } from '../../src/gateway/http/admin/admin-app.js';
import { createHttpServer } from '../../src/gateway/http/transport/server.js';
import type { Clock, RunQuery } from '../../src/gateway/query/ports.js';
import type { CheckSql, SqlParser } from '../../src/gateway/query/sandboxed-select.js';
import { openAccess, type Access } from '../../src/gateway/server/open-access.js';
import { createListener } from '../../src/gateway/server/create-listener.js';
import { openQueryExecution, type QueryExecution } from '../../src/gateway/server/open-query-execution.js';
import { FakeRunQuery } from './fake-run-query.js';
import { metricSamples } from './metric-samples.js';
import { sendRequest, type NetworkRequest, type NetworkResponse } from './network-request.js';
import { oneServer } from './query-server.js';
import { RecordingLogger } from './recording-logger.js';
import { TestClock } from './test-clock.js';
import { noKeys, noSql } from './test-credentials.js';
import { referenceEndpoints } from './reference-project.js';

/** Rights of each key in a test's keys file, by key name; {@link keyNamed} returns the key itself. */
export type KeyRights = Readonly<Record<string, StoredRights>>;

export interface AccessGatewayOptions {
  readonly keys?: KeyRights;
  readonly environment?: Environment;
  /** Default: the shipped endpoints. */
  readonly endpoints?: readonly Endpoint[];
  /** Default: the gateway's {@link FakeRunQuery}. */
  readonly runQuery?: RunQuery;
  readonly clock?: Clock;
  readonly checkSql?: CheckSql;
  /** Checks SQL with this parser, as in production. */
  readonly parser?: SqlParser;
}

/** Requests on the slow path all go through the application; on the fast path cache hits skip the application. */
export type RequestPath = 'slow path' | 'fast path';

/** Returns the key that a name in the test's keys file stands for. */
export const keyNamed = (name: string): string => `qg_key-of-${name}-only-for-tests`;

/**
 * A gateway composed as in production (keys, limits, queue and cache come from a configuration), with one HTTP server
 * per request path. Only ClickHouse and the clock are fakes.
 */
export class AccessGateway {
  readonly clock = new TestClock();
  readonly runQuery = new FakeRunQuery();
  readonly logger = new RecordingLogger();
  /** Number of requests that the fast path completed. */
  servedOnFastPath = 0;
  access!: Access;
  execution!: QueryExecution;
  endpoints!: EndpointRegistry;
  /** Its admin API. */
  admin!: RequestListener;
  private readonly servers: Partial<Record<RequestPath, Server>> = {};
  private readonly closers: (() => unknown)[] = [];

  static async open(options: AccessGatewayOptions = {}): Promise<AccessGateway> {
    const gateway = new AccessGateway();
    try {
      await gateway.build(options);
    } catch (error) {
      await gateway.close();
      throw error;
    }
    return gateway;
  }

  url(via: RequestPath = 'fast path'): string {
    const { port } = this.servers[via]?.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  /** Sends a request with the key of that name, or without a key if the name is empty. */
  send(
    name: string,
    target: string,
    more: NetworkRequest & { via?: RequestPath } = {},
  ): Promise<NetworkResponse> {
    const { via = 'fast path', headers = {}, ...rest } = more;
    const key = name === '' ? {} : { 'X-API-KEY': keyNamed(name) };
    return sendRequest(this.url(via) + target, { ...rest, headers: { ...key, ...headers } });
  }

  /** Returns the number of queued queries, from the gateway's own metrics. */
  async waiting(): Promise<number> {
    const samples = metricSamples(await this.execution.metrics.registry.metrics());
    const waiting = samples.filter(({ name }) => name === 'querygate_queries_waiting');
    return waiting.reduce((sum, { value }) => sum + value, 0);
  }

  async close(): Promise<void> {
    for (const close of this.closers.splice(0).reverse()) await close();
  }

  private async build(options: AccessGatewayOptions): Promise<void> {
    const { endpoints: own, environment = {}, clock = this.clock.read, parser } = options;
    const { logger } = this;
    const endpoints = own ? new EndpointRegistry(own) : await referenceEndpoints();
    this.endpoints = endpoints;
    const config = readConfig({ ...environment, ...(options.keys && (await this.writeKeys(options.keys))) });
    this.access = await openAccess({ config, endpoints, logger, clock });
    this.closers.push(this.access.keys.close);
    const servers = oneServer(options.runQuery ?? this.runQuery.run, parser);
    this.execution = await openQueryExecution({ config, endpoints, servers, logger, clock }, (close) =>
      this.closers.push(() => close(0)),
    );
    const { access, execution } = this;
    const parts = {
      isClickHouseUp: () => Promise.resolve(true),
      isDraining: () => false,
      consoleFolder: undefined,
      version: '0.0.0-test',
      ...{ config, endpoints, logger, clock },
      ...access,
      ...execution,
      ...(!parser && { checkSql: options.checkSql ?? noSql }),
    };
    this.admin = createAdminApp({ ...noKeys(clock), ...parts, publicUrl: config.publicUrl });
    const { app, fastPath } = createListener(parts);
    await this.listen('slow path', createHttpServer(app, logger));
    const fast = createHttpServer((request, response) => {
      if (fastPath(request, response)) this.servedOnFastPath += 1;
      else app(request, response);
    }, logger);
    await this.listen('fast path', fast);
  }

  private async writeKeys(keys: KeyRights): Promise<Environment> {
    const folder = await mkdtemp(path.join(tmpdir(), 'querygate-test-'));
    this.closers.push(() => rm(folder, { recursive: true, force: true }));
    const file = path.join(folder, 'keys.json');
    const isStored = Object.entries(keys).map(([name, rights]) => ({
      name,
      sha256: [hashApiKey(keyNamed(name))],
      ...rights,
    }));
    await writeFile(file, JSON.stringify({ keys: isStored }));
    return { API_KEYS_FILE: file };
  }

  private async listen(via: RequestPath, server: Server): Promise<void> {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    this.servers[via] = server;
    this.closers.push(() => {
      server.closeAllConnections();
      return once(server.close(), 'close');
    });
  }
}

/** Runs a test's body with an access gateway, then closes the gateway. */
export async function withAccess(
  options: AccessGatewayOptions,
  use: (gateway: AccessGateway) => Promise<void>,
): Promise<void> {
  const gateway = await AccessGateway.open(options);
  try {
    await use(gateway);
  } finally {
    await gateway.close();
  }
}
