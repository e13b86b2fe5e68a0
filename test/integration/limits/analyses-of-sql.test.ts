import { setMaxListeners } from 'node:events';

import { createQueryRunner } from '../../../src/gateway/clickhouse/query-runner.js';
import { createSqlParser } from '../../../src/gateway/clickhouse/sql-parser.js';
import { withSettings, type Endpoint } from '../../../src/endpoint/endpoint.js';
import type { RunQuery } from '../../../src/gateway/query/ports.js';
import type { SqlParser } from '../../../src/gateway/query/sandboxed-select.js';
import { AccessGateway } from '../../support/access-gateway.js';
import { useTestDatabase, type TestDatabase } from '../../support/clickhouse.js';
import { outcomeOf, rowsIn, type NetworkResponse } from '../../support/network-request.js';
import { pollUntil } from '../../support/poll-until.js';
import { referenceEndpoints } from '../../support/reference-project.js';

const STATEMENTS = 300;
const LOGS = '/api/endpoints/query/logs.all?project=aurora&project_tier=PRO';
const statement = (n: number): string => `SELECT ${n} AS flood FROM result LIMIT 1`;

/** Records what the gateway sends to a real ClickHouse: in which order, and how many at a time. */
class Sent {
  /** Request ids of queries, and analysed SQL, in order of their start. */
  readonly started: string[] = [];
  running = 0;
  mostAtOnce = 0;
  /** Awaited before anything is sent. */
  gate = Promise.resolve();

  readonly runQuery: RunQuery = (request) => this.count(request.requestId, () => this.run(request));
  readonly parser: SqlParser = {
    print: (sql, signal) => this.count(sql, () => this.parse.print(sql, signal)),
    tree: (text, signal) => this.count('tree', () => this.parse.tree(text, signal)),
    tables: (signal) => this.count('tables', () => this.parse.tables(signal)),
    varyingFunctions: (signal) => this.count('functions', () => this.parse.varyingFunctions(signal)),
    lines: (query, signal) => this.count('facts', () => this.parse.lines(query, signal)),
  };
  private readonly run: RunQuery;
  private readonly parse: SqlParser;

  constructor({ client }: TestDatabase) {
    this.run = createQueryRunner(client, { timeoutMs: 20_000 });
    this.parse = createSqlParser(client);
  }

  private async count<T>(what: string, send: () => Promise<T>): Promise<T> {
    this.started.push(what);
    this.running += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.running);
    try {
      await this.gate;
      return await send();
    } finally {
      this.running -= 1;
    }
  }
}

const database = useTestDatabase();
let endpoints: Endpoint[];
let sent: Sent;
let gateway: AccessGateway;
beforeAll(async () => {
  const loaded = (await referenceEndpoints()).all();
  endpoints = loaded.map((endpoint) => withSettings(endpoint, { sandboxing: 'enabled' }));
});
beforeEach(() => {
  sent = new Sent(database);
});
afterEach(() => gateway.close());

const open = async (slots: number): Promise<void> => {
  gateway = await AccessGateway.open({
    keys: { single: { limits: { concurrent: 1 } }, flood: {}, other: {} },
    // On a busy machine the first statements wait for minutes until all have been sent.
    environment: { MAX_CONCURRENT_QUERIES: String(slots), QUEUE_TIMEOUT_SECONDS: '300' },
    endpoints,
    runQuery: sent.runQuery,
    parser: sent.parser,
    clock: () => new Date(),
  });
};
const send = (name: string, sql: string, id = name, signal?: AbortSignal): Promise<NetworkResponse> =>
  gateway.send(name, `${LOGS}&sql=${encodeURIComponent(sql)}`, {
    headers: { 'X-Request-Id': id },
    ...(signal && { signal }),
  });
const sendAll = (name: string, signal?: AbortSignal): Promise<NetworkResponse>[] =>
  Array.from({ length: STATEMENTS }, (_, n) => {
    const response = send(name, statement(n), name, signal);
    response.catch(() => undefined);
    return response;
  });
const blockAnalyses = (): (() => void) => {
  let release = (): void => undefined;
  sent.gate = new Promise((resolve) => {
    release = resolve;
  });
  return release;
};
const untilWaiting = (count: number): Promise<unknown> =>
  pollUntil(`${count} wait`, async () => (await gateway.waiting()) === count || undefined, 100_000);

describe('300 new statements at once', () => {
  it('run one at a time in ClickHouse for a key with concurrent: 1; the others receive 429', async () => {
    await open(16);
    const outcomes = (await Promise.all(sendAll('single'))).map(outcomeOf);
    expect(sent.mostAtOnce).toBe(1);
    const succeeded = outcomes.filter((outcome) => outcome === '200').length;
    expect(succeeded).toBeGreaterThanOrEqual(1);
    expect(outcomes.filter((outcome) => outcome === '429 LIMIT_EXCEEDED')).toHaveLength(
      STATEMENTS - succeeded,
    );
  });

  it('delay another key’s query by one statement at most', async () => {
    await open(1);
    const release = blockAnalyses();
    const controller = new AbortController();
    setMaxListeners(0, controller.signal);
    const flood = sendAll('flood', controller.signal);
    await untilWaiting(STATEMENTS - 1);
    const single = gateway.send('other', LOGS, { headers: { 'X-Request-Id': 'single' } });
    await untilWaiting(STATEMENTS);
    release();
    expect(outcomeOf(await single)).toBe('200');
    // One statement ran already, and one more of the flood's lane may come first.
    const analysed = sent.started
      .slice(0, sent.started.indexOf('single'))
      .filter((what) => what.includes('flood'));
    expect(new Set(analysed).size).toBeLessThanOrEqual(2);
    controller.abort();
    await Promise.allSettled(flood);
    expect(sent.mostAtOnce).toBe(1);
  });
});

it('analyses identical SQL of several callers once, in one slot', async () => {
  await open(1);
  const sql = "SELECT count() AS n, 'shared' AS word FROM result";
  const responses = await Promise.all(['flood', 'other', 'single', 'other'].map((name) => send(name, sql)));
  for (const response of responses) expect(rowsIn(response)).toHaveLength(1);
  expect(sent.started.filter((what) => what === sql)).toHaveLength(1);
});

it('has the request’s id as log_comment of its query, but not of its analysis or its DESCRIBE', async () => {
  await open(1);
  await send('other', "SELECT 'commented' AS word FROM result", 'commented-request');
  await database.client.command({ query: 'SYSTEM FLUSH LOGS' });
  const logged = await database.client.query({
    query: `SELECT DISTINCT log_comment, splitByChar(' ', query)[1] AS word FROM system.query_log
            WHERE current_database = currentDatabase() AND query LIKE '%commented%' AND log_comment != 'test'
            ORDER BY word`,
    format: 'JSONEachRow',
    clickhouse_settings: { log_comment: 'test' },
  });
  expect(await logged.json()).toEqual([
    { log_comment: '', word: 'DESCRIBE' },
    { log_comment: '', word: 'EXPLAIN' },
    // The ids of formatQuerySingleLine and of the caller's rows.
    { log_comment: '', word: 'SELECT' },
    { log_comment: 'commented-request', word: 'WITH' },
  ]);
});
