import { LocalStore } from '../../../src/gateway/cache/local-store.js';
import { createQueryRunner } from '../../../src/gateway/clickhouse/query-runner.js';
import { keyOf } from '../../../src/gateway/query/cache-key.js';
import { fetchResult, wantedOf } from '../../../src/gateway/query/fetch-result.js';
import type { QueryResult } from '../../../src/gateway/query/ports.js';
import { validateParameters } from '../../../src/gateway/query/validate-parameters.js';
import { createTestDatabase, type TestDatabase } from '../../support/clickhouse.js';
import { queryParts } from '../../support/query-parts.js';
import { rawParameters } from '../../support/raw-parameters.js';
import { referenceEndpoints } from '../../support/reference-project.js';

export type Row = Readonly<Record<string, unknown>>;

/** The parsed result of an endpoint. */
export interface RowsResult extends QueryResult {
  readonly text: string;
  readonly rows: readonly Row[];
}

/** How rows come into a table: in several inserts, whose parts ClickHouse has merged or not. */
export interface Storage {
  readonly inserts: number;
  readonly merged: boolean;
}

/** An endpoint on a database of its own, called as the gateway calls it, with a stopped clock. */
export interface EndpointUnderTest {
  readonly database: TestDatabase;
  /** Replaces a table's contents with these rows, sent the way a log shipper sends them. */
  readonly fill: (table: string, rows: readonly object[], storage?: Storage) => Promise<void>;
  /** Inserts lines of NDJSON unchanged. */
  readonly insertLines: (table: string, ...lines: readonly string[]) => Promise<void>;
  /** Calls the endpoint. @throws Failure as reported to the caller. */
  readonly run: (parameters: Readonly<Record<string, string>>, now?: Date) => Promise<RowsResult>;
  /** Returns only the rows of the result. */
  readonly rows: (parameters: Readonly<Record<string, string>>, now?: Date) => Promise<readonly Row[]>;
  readonly close: () => Promise<void>;
}

/** Opens an endpoint by its name; `now` is the clock's time unless a call sets another. */
export async function openEndpoint(name: string, now: Date): Promise<EndpointUnderTest> {
  const endpoint = (await referenceEndpoints()).find(name);
  if (!endpoint) throw new Error(`there is no endpoint ${name}`);
  const database = await createTestDatabase();
  const runQuery = createQueryRunner(database.client, { timeoutMs: 20_000 });
  const respond: EndpointUnderTest['run'] = async (parameters, at = now) => {
    const clock = (): Date => at;
    const store = new LocalStore(1e7, clock);
    const parts = queryParts({ runQuery, store, clock });
    const query = {
      endpoint,
      values: validateParameters(endpoint, rawParameters(parameters)),
      scope: '',
    };
    const { signal } = new AbortController();
    const fetch = { ...query, requestId: 'endpoint-test', signal, demand: 'fresh' as const };
    const key = keyOf(query);
    const { result: fetched } = await fetchResult(parts, wantedOf(parts, fetch, key), key);
    return read({ ...fetched, body: fetched.bodies.identity }, [...endpoint.columns.keys()]);
  };
  return {
    database,
    run: respond,
    rows: async (parameters, at) => (await respond(parameters, at)).rows,
    fill: async (table, rows, { inserts, merged } = { inserts: 1, merged: false }) => {
      await database.client.command({ query: `TRUNCATE TABLE ${table}` });
      for (let insert = 0; insert < inserts; insert += 1) {
        const sent = rows.filter((_, index) => index % inserts === insert);
        if (sent.length > 0) await database.insert(table, sent);
      }
      if (merged) await database.client.command({ query: `OPTIMIZE TABLE ${table} FINAL` });
    },
    insertLines: async (table, ...lines) => {
      await database.client.command({
        query: `INSERT INTO ${table} FORMAT JSONEachRow\n${lines.join('\n')}`,
      });
    },
    close: () => database.close(),
  };
}

/** @throws Error if a body does not have the form of a gateway's result. */
function read(result: QueryResult, columns: readonly string[]): RowsResult {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(result.body);
  const { result: rows, ...rest } = JSON.parse(text) as { readonly result: readonly Row[] };
  const asDeclared = rows.every((row) => Object.keys(row).join() === columns.join());
  if (!asDeclared || Object.keys(rest).length > 0 || rows.length !== result.rowCount) {
    throw new Error(`not a result of ${columns.join()} in ${result.rowCount} rows: ${text}`);
  }
  return { ...result, text, rows };
}
