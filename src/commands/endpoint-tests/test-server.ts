import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SignJWT } from 'jose';

import type { Endpoint } from '../../endpoint/endpoint.js';
import { Catalog } from '../../gateway/analysis/reads/catalog.js';
import { varyingCallOf } from '../../gateway/analysis/reads/own-tables.js';
import type { QueryClient } from '../../gateway/clickhouse/connect-clickhouse.js';
import { connectClickHouse } from '../../gateway/clickhouse/connect-clickhouse.js';
import { readConfig, type Environment } from '../../gateway/config/config.js';
import { createLineLogger } from '../../gateway/observability/logger.js';
import { openGateway, type Gateway } from '../../gateway/server/compose.js';
import type { ProjectEndpointsOptions } from '../../gateway/server/project-endpoints.js';
import { findRunningServer } from '../embedded/running-server.js';
import { readTables, type Tables } from './tables.js';

/** All variables that tests take: where the project is, what its files call its database, and which folder is not watched. */
const TAKEN = ['PROJECT_DIR', 'CLICKHOUSE_DATABASE', 'DATA_DIR'] as const;

/** The environment without that of a deployment, whose limits, servers and mistakes must not decide what a test finds. */
export const environmentOfTests = (environment: Environment): Environment =>
  Object.fromEntries(TAKEN.map((name) => [name, environment[name] ?? '']));

/** Long after every clock of a test. */
const NEVER = 10_500_000_000;

/**
 * A gateway of the project for its tests, on an embedded ClickHouse of its own that has the project's tables and no rows. Its clock
 * stands still.
 */
export class TestServer {
  /** Milliseconds since 1970. */
  private time = 0;
  private readonly secret = randomBytes(32).toString('base64url');
  private readonly key = randomBytes(24).toString('base64url');
  private readonly tokens = new Map<string, Promise<string>>();
  private folder = '';
  private served: Gateway | undefined;
  private connected: QueryClient | undefined;
  tables: Tables = { columns: new Map(), hasDictionaries: false };
  /** By the digest of the endpoint. */
  private readonly varyingCalls = new Map<string, string | undefined>();

  private constructor(
    private readonly environment: Environment,
    private readonly loading: ProjectEndpointsOptions | undefined,
  ) {}

  /**
   * @param loading of endpoint files of which something else says what is wrong with them
   * @throws Error that says why the gateway cannot start, such as an invalid endpoint or schema file
   */
  static async start(environment: Environment, loading?: ProjectEndpointsOptions): Promise<TestServer> {
    const server = new TestServer(environment, loading);
    try {
      await server.open();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  get gateway(): Gateway {
    return required(this.served);
  }

  /** Of the administrator of the tests' ClickHouse. */
  get client(): QueryClient {
    return required(this.connected);
  }

  /** Sets the clock of the gateway. @param time milliseconds since 1970 */
  setTime(time: number): void {
    this.time = time;
  }

  /** The call of a function in the query of an endpoint whose value differs from one run to the next. */
  async varyingCallOf(endpoint: Endpoint): Promise<string | undefined> {
    const { digest } = endpoint;
    if (!this.varyingCalls.has(digest))
      this.varyingCalls.set(digest, await varyingCallOf(endpoint, await Catalog.of(this.client)));
    return this.varyingCalls.get(digest);
  }

  /** The header that authenticates a caller: with a key for everything, or one with pinned parameters. */
  async credentials(pins: Readonly<Record<string, string>> = {}): Promise<Readonly<Record<string, string>>> {
    if (Object.keys(pins).length === 0) return { 'X-API-KEY': this.key };
    const text = JSON.stringify(pins);
    const token = this.tokens.get(text) ?? this.sign(pins);
    this.tokens.set(text, token);
    return { Authorization: `Bearer ${await token}` };
  }

  async stop(): Promise<void> {
    await this.connected?.close();
    await this.served?.close(0);
    if (this.folder !== '') await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  private async open(): Promise<void> {
    this.folder = await mkdtemp(path.join(tmpdir(), 'querygate-test-'));
    const config = readConfig({
      ...environmentOfTests(this.environment),
      ...{
        HOST: '127.0.0.1',
        PORT: '0',
        DATA_DIR: this.folder,
        DEMO_DATA: 'off',
        REQUEST_LOG: 'off',
        MCP: 'off',
      },
      ...{ API_KEY: this.key, JWT_SECRET: this.secret, JWT_ISSUER: ISSUER, LINK_SECRET: SAME_IN_EACH_RUN },
      // A test shows a failure; what the gateway logs about it would hide it.
      ...{ LOG_LEVEL: 'error' },
    });
    const clock = (): Date => new Date(this.time);
    this.served = await openGateway(config, {
      logger: createLineLogger('error', LOG),
      clock,
      withoutLimits: true,
      ...(this.loading && { files: { loading: this.loading, onReload: () => undefined } }),
    });
    const running = await findRunningServer(this.folder);
    if (!running) throw new Error('the ClickHouse of the tests does not run');
    const { database } = config.clickhouse;
    const client = connectClickHouse(
      { ...running, database },
      // A ReplacingMergeTree would replace rows of one insert already, and hide what a query without FINAL returns.
      {
        maxOpenConnections: 4,
        requestTimeoutMs: config.queryTimeoutMs + 5000,
        settings: { optimize_on_insert: 0 },
      },
    );
    this.connected = client;
    this.tables = await readTables(client);
    // Rows stay as a test inserts them: none is deleted by a TTL, or replaced, in the middle of it.
    await client.command({ query: 'SYSTEM STOP MERGES' });
  }

  private sign(pins: Readonly<Record<string, string>>): Promise<string> {
    return new SignJWT({ querygate: { endpoints: ['*'], fixed: pins, mayExport: true } })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject('test')
      .setIssuer(ISSUER)
      .setAudience('querygate')
      .setExpirationTime(NEVER)
      .sign(Buffer.from(this.secret));
  }
}

function required<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the gateway of the tests is not open');
  return part;
}

const ISSUER = 'querygate-test';

/** So that a test can have the cursor of a page. */
const SAME_IN_EACH_RUN = 'cursors of tests are no secret, and the same';

/** Standard output is for the report. */
const LOG = { write: (line: string): void => void process.stderr.write(line) };
