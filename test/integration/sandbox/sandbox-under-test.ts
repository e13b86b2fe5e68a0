import { LocalStore } from '../../../src/gateway/cache/local-store.js';
import { connectClickHouse } from '../../../src/gateway/clickhouse/connect-clickhouse.js';
import { createQueryRunner } from '../../../src/gateway/clickhouse/query-runner.js';
import { createSqlParser } from '../../../src/gateway/clickhouse/sql-parser.js';
import { withSettings, type Endpoint } from '../../../src/endpoint/endpoint.js';
import { Failure } from '../../../src/gateway/errors.js';
import type { FormatName } from '../../../src/gateway/formats/formats.js';
import { representationOf } from '../../../src/gateway/formats/representation.js';
import { keyOf } from '../../../src/gateway/query/cache-key.js';
import type { EndpointResult } from '../../../src/gateway/query/endpoint-result.js';
import { fetchResult, wantedOf } from '../../../src/gateway/query/fetch-result.js';
import { pinnedParameters } from '../../../src/gateway/query/row-scope.js';
import { nativeSignal } from '../../../src/gateway/query/signal.js';
import { validateParameters } from '../../../src/gateway/query/validate-parameters.js';
import { createSandbox } from '../../../src/gateway/sandbox/sandbox.js';
import { createTestDatabase, type TestDatabase } from '../../support/clickhouse.js';
import { queryParts } from '../../support/query-parts.js';
import { rawParameters } from '../../support/raw-parameters.js';
import { referenceEndpoints } from '../../support/reference-project.js';

export type Row = Readonly<Record<string, unknown>>;

export interface SandboxResult {
  readonly text: string;
  readonly rows: readonly Row[];
  readonly truncated: boolean;
}

/** Analyses and queries at the same time. More would wait for a connection, and the wait counts against their time limits. */
export const CONNECTIONS = 8;

/** An endpoint with sandboxing on a database of its own, connected as administrator: no read-only user protects it. */
export interface SandboxUnderTest {
  readonly database: TestDatabase;
  /** @param requestId comment of the queries in ClickHouse's log. */
  readonly run: (sql: string, requestId?: string) => Promise<SandboxResult>;
  /** Returns the body of the result in a format. */
  readonly body: (sql: string, format: FormatName) => Promise<Buffer>;
  /** Returns status and problem of a rejected SELECT. */
  readonly rejection: (sql: string, requestId?: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

/** Opens an endpoint, or one of the reference project by its name; `now` is the clock's time, `scope` the pins of its caller. */
export async function openSandbox(
  nameOrEndpoint: string | Endpoint,
  parameters: Readonly<Record<string, string>>,
  now: Date,
  scope = '',
): Promise<SandboxUnderTest> {
  const endpoint = await enabled(nameOrEndpoint);
  const database = await createTestDatabase();
  const client = connectClickHouse(database.connection, {
    maxOpenConnections: CONNECTIONS,
    requestTimeoutMs: 30_000,
  });
  const parser = createSqlParser(client);
  const checkSql = createSandbox((request, analysis) => analysis(parser, nativeSignal(request.signal)));
  const clock = (): Date => now;
  const store = new LocalStore(1e7, clock);
  const runQuery = createQueryRunner(client, { timeoutMs: 10_000 });
  const parts = queryParts({ runQuery, store, clock });
  const values = validateParameters(endpoint, rawParameters(parameters));
  const fetchSql = async (sql: string, requestId: string, format: FormatName): Promise<EndpointResult> => {
    const { signal } = new AbortController();
    const sandbox = await checkSql(endpoint, sql, { signal }, pinnedParameters(scope));
    const endpointQuery = { endpoint, values, scope, sandbox, representation: representationOf(format) };
    const call = { ...endpointQuery, requestId, signal, demand: 'fresh' } as const;
    const key = keyOf(endpointQuery);
    const { result } = await fetchResult(parts, wantedOf(parts, call, key), key);
    return result;
  };
  const body: SandboxUnderTest['body'] = async (sql, format) =>
    (await fetchSql(sql, 'sandbox-test', format)).bodies.identity;
  const run: SandboxUnderTest['run'] = async (sql, requestId = 'sandbox-test') => {
    const endpointResult = await fetchSql(sql, requestId, 'json');
    const text = new TextDecoder('utf-8', { fatal: true }).decode(endpointResult.bodies.identity);
    const { result } = JSON.parse(text) as { readonly result: readonly Row[] };
    return { text, rows: result, truncated: endpointResult.truncated };
  };
  const rejection: SandboxUnderTest['rejection'] = async (sql, requestId) => {
    try {
      const { text } = await run(sql, requestId);
      return `succeeded: ${text.slice(0, 200)}`;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return `${error.status} ${error.details.problems?.[0]?.problem ?? `${error.code} ${error.details.diagnosis ?? ''}`}`;
    }
  };
  const close = async (): Promise<void> => {
    await client.close();
    await database.close();
  };
  return { database, run, body, rejection, close };
}

async function enabled(of: string | Endpoint): Promise<Endpoint> {
  const endpoint = typeof of === 'string' ? (await referenceEndpoints()).find(of) : of;
  if (!endpoint) throw new Error('the reference project has no endpoint of this name');
  return withSettings(endpoint, { sandboxing: 'enabled' });
}
