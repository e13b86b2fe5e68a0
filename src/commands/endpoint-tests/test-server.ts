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
import { readConfig, type Config, type Environment } from '../../gateway/config/config.js';
import { createLineLogger } from '../../gateway/observability/logger.js';
import { openGateway, type Gateway } from '../../gateway/server/compose.js';
import type { ProjectEndpointsOptions } from '../../gateway/server/project-endpoints.js';
import { findRunningServer } from '../embedded/running-server.js';
import { readTables, type Tables } from './tables.js';

/** All variables that tests take: where the project is, what its files call its database, and which folder is not watched. */
const TAKEN = ['PROJECT_DIR', 'CLICKHOUSE_DATABASE', 'DATA_DIR'] as const;

/** The environment without variables of a deployment: its limits, servers and mistakes must not affect the result of a test. */
export const environmentOfTests = (environment: Environment): Environment =>
  Object.fromEntries(TAKEN.map((name) => [name, environment[name] ?? '']));

/** Long after every clock of a test. */
const NEVER = 10_500_000_000;

/** A gateway of the project for its tests, with a fixed clock. */
export interface TestServer {
  readonly gateway: Gateway;
  /** Client of the administrator of the tests' ClickHouse. */
  readonly client: QueryClient;
  readonly tables: Tables;
  /** Sets the clock of the gateway. @param time milliseconds since 1970 */
  readonly setTime: (time: number) => void;
  /** A function call in the query of an endpoint whose value differs between runs; undefined without such. */
  readonly varyingCallOf: (endpoint: Endpoint) => Promise<string | undefined>;
  /** The header that authenticates a caller: with a key for everything, or one with pinned parameters. */
  readonly credentials: (
    pins?: Readonly<Record<string, string>>,
  ) => Promise<Readonly<Record<string, string>>>;
  readonly stop: () => Promise<void>;
}

/**
 * Starts a gateway on a separate embedded ClickHouse, which has the project's tables without rows.
 *
 * @param loading how endpoint files are loaded, where another component reports their problems
 * @throws Error with the reason why the gateway cannot start, such as an invalid endpoint or schema file
 */
export async function startTestServer(
  environment: Environment,
  loading?: ProjectEndpointsOptions,
): Promise<TestServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'querygate-test-'));
  const started = [(): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 })];
  const stop = async (): Promise<void> => {
    for (const end of started.toReversed()) await end();
  };
  try {
    const key = randomBytes(24).toString('base64url');
    const secret = randomBytes(32).toString('base64url');
    const config = readConfig({
      ...environmentOfTests(environment),
      ...{ HOST: '127.0.0.1', PORT: '0', DATA_DIR: folder, DEMO_DATA: 'off', REQUEST_LOG: 'off', MCP: 'off' },
      ...{ API_KEY: key, JWT_SECRET: secret, JWT_ISSUER: ISSUER, LINK_SECRET: SAME_IN_EACH_RUN },
      // A test shows a failure; what the gateway logs about it would hide it.
      ...{ LOG_LEVEL: 'error' },
    });
    let time = 0;
    const gateway = await openGateway(config, {
      logger: createLineLogger('error', LOG),
      clock: () => new Date(time),
      withoutLimits: true,
      ...(loading && { files: { loading, onReload: () => undefined } }),
    });
    started.push(() => gateway.close(0));
    const client = await connectToTests(config, folder);
    started.push(() => client.close());
    // No row is deleted by a TTL, or replaced, in the middle of a test.
    await client.command({ query: 'SYSTEM STOP MERGES' });
    // Function calls by the digest of the endpoint.
    const varyingCalls = new Map<string, string | undefined>();
    return {
      ...{ gateway, client, tables: await readTables(client), credentials: credentialsOf(key, secret), stop },
      setTime: (to) => (time = to),
      varyingCallOf: async (endpoint) => {
        const { digest } = endpoint;
        if (!varyingCalls.has(digest))
          varyingCalls.set(digest, await varyingCallOf(endpoint, await Catalog.of(client)));
        return varyingCalls.get(digest);
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A client of the administrator, on a ClickHouse that leaves rows as a test inserts them. */
async function connectToTests(config: Config, folder: string): Promise<QueryClient> {
  const running = await findRunningServer(folder);
  if (!running) throw new Error('the ClickHouse of the tests does not run');
  return connectClickHouse(
    { ...running, database: config.clickhouse.database },
    {
      maxOpenConnections: 4,
      requestTimeoutMs: config.queryTimeoutMs + 5000,
      // A ReplacingMergeTree would replace rows of one insert already, and hide what a query without FINAL returns.
      settings: { optimize_on_insert: 0 },
    },
  );
}

function credentialsOf(key: string, secret: string): TestServer['credentials'] {
  const tokens = new Map<string, Promise<string>>();
  return async (pins = {}) => {
    if (Object.keys(pins).length === 0) return { 'X-API-KEY': key };
    const text = JSON.stringify(pins);
    const token = tokens.get(text) ?? signed(pins, secret);
    tokens.set(text, token);
    return { Authorization: `Bearer ${await token}` };
  };
}

function signed(pins: Readonly<Record<string, string>>, secret: string): Promise<string> {
  return new SignJWT({ querygate: { endpoints: ['*'], fixed: pins, mayExport: true } })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('test')
    .setIssuer(ISSUER)
    .setAudience('querygate')
    .setExpirationTime(NEVER)
    .sign(Buffer.from(secret));
}

const ISSUER = 'querygate-test';

/** A fixed `LINK_SECRET`, so that a test can contain the cursor of a page. */
const SAME_IN_EACH_RUN = 'cursors of tests are no secret, and the same';

/** Standard output is for the report. */
const LOG = { write: (line: string): void => void process.stderr.write(line) };
