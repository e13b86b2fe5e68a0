import { defineEndpoint } from '../../src/endpoint/endpoint.js';
import { sql } from '../../src/endpoint/sql.js';
import { openAccessOnClickHouse, type AccessOnClickHouse } from '../support/access-on-clickhouse.js';
import { useTestDatabase } from '../support/clickhouse.js';
import { outcomeOf } from '../support/network-request.js';
import { pollUntil } from '../support/poll-until.js';
import { SAMPLE } from '../support/sample-endpoint.js';

const QUERY = '/api/endpoints/query';

const CALLS: Readonly<Record<string, string>> = {
  'logs.all': '?project=aurora&project_tier=PRO',
  'functions.invocation-stats': '?project=aurora&interval=7day',
  'usage.api-counts': '?project=aurora&interval=daily',
  'get-grouped-stats-events-logs': '',
  'get-grouped-stats-redirects': '',
};
const NAMES = Object.keys(CALLS);
/** The same endpoints with parameters that no projection covers, so that their queries read the records. */
const CALLS_OF_RECORDS: Readonly<Record<string, string>> = {
  'logs.all': '?project=aurora&project_tier=PRO',
  'functions.invocation-stats': '?project=aurora&interval=5min',
  'usage.api-counts': '?project=aurora%24%7Caurora&interval=daily',
  'get-grouped-stats-events-logs': '?search_term=',
  'get-grouped-stats-redirects': `?start_time=${new Date().toISOString().slice(0, 10)}T00:00:00.000001Z`,
};

/** So many rows that no query of them fits into the memory that ClickHouse does not count. */
const ROWS = 'FROM numbers(200000)';
const AGO = "now64(6, 'UTC') - toIntervalMillisecond(number)";
/** Rows in every table that the endpoints read. */
const FILL: readonly string[] = [
  `INSERT INTO edge_logs (project, timestamp, event_message, url, path)
   SELECT 'aurora', ${AGO}, concat(toString(number), repeat('x', 100)), 'https://aurora.example/rest/v1', '/rest/v1' ${ROWS}`,
  `INSERT INTO function_relay_logs (project, timestamp, execution_time_ms) SELECT 'aurora', ${AGO}, 1 ${ROWS}`,
  `INSERT INTO custom_events (timestamp, event_type, event_name)
   SELECT ${AGO}, 'url_redirect', concat('event ', toString(number % 20000)) ${ROWS}`,
];

const database = useTestDatabase();
beforeAll(async () => {
  await Promise.all(FILL.map((query) => database.client.command({ query })));
});

let opened: AccessOnClickHouse | undefined;
afterEach(() => opened?.close());

const open = async (
  options: Omit<Parameters<typeof openAccessOnClickHouse>[0], 'keys'>,
): Promise<AccessOnClickHouse> => {
  opened = await openAccessOnClickHouse({ keys: { caller: {} }, database, ...options });
  return opened;
};
const everywhere = <T>(value: T): Record<string, T> => Object.fromEntries(NAMES.map((name) => [name, value]));

describe('a limit of one endpoint’s queries', () => {
  it.each([
    ['rows to read', { maxRowsToRead: 1 }, '422 QUERY_READS_TOO_MUCH', 'would read more'],
    ['bytes to read', { maxBytesToRead: 1 }, '422 QUERY_READS_TOO_MUCH', 'would read more'],
    ['memory', { maxMemoryBytes: 1000 }, '422 QUERY_NEEDS_TOO_MUCH_MEMORY', 'more memory'],
    ['bytes of the result', { maxResultBytes: 1 }, '422 RESULT_TOO_LARGE', 'larger'],
    ['time', { timeoutSeconds: 0.001 }, '504 QUERY_TIMEOUT', 'time limit'],
  ])('on %s has an error of its own for each of the five', async (_what, queryLimits, expected, text) => {
    const { gateway } = await open({ settings: everywhere({ queryLimits }) });
    for (const [name, parameters] of Object.entries(CALLS_OF_RECORDS)) {
      const response = await gateway.send('caller', `${QUERY}/${name}${parameters}`);
      expect([name, outcomeOf(response)]).toEqual([name, expected]);
      expect(response.text).toContain(text);
      expect(response.text).not.toMatch(/DB::|Exception|edge_logs|max_/);
    }
  });

  it('does not affect another endpoint', async () => {
    const { gateway } = await open({ settings: { 'logs.all': { queryLimits: { maxRowsToRead: 1 } } } });
    for (const [name, parameters] of Object.entries(CALLS)) {
      const { status } = await gateway.send('caller', `${QUERY}/${name}${parameters}`);
      expect([name, status]).toEqual([name, name === 'logs.all' ? 422 : 200]);
    }
  });
});

describe('a caller that disconnects', () => {
  /** Runs for ten minutes unless it is cancelled. */
  const SLOW = defineEndpoint({
    ...SAMPLE,
    name: 'slow',
    caching: 'disabled',
    build: ({ city }) => sql`
      SELECT ${city} AS city
      FROM (SELECT number FROM numbers(600) SETTINGS max_block_size = 1)
      WHERE sleepEachRow(1) = 0`,
  });
  const slow = `${QUERY}/slow?city=Rome`;

  const running = async ({ database }: AccessOnClickHouse, requestId: string): Promise<number> => {
    const result = await database.client.query({
      query: `SELECT count() AS n FROM system.processes WHERE Settings['log_comment'] = {requestId:String} AND query_id != queryID()`,
      query_params: { requestId },
      format: 'JSONEachRow',
    });
    const [row] = await result.json<{ n: string | number }>();
    return Number(row?.n);
  };

  const untilRemoved = (on: AccessOnClickHouse, requestId: string): Promise<unknown> =>
    pollUntil('the query has ended', async () => (await running(on, requestId)) === 0 || undefined);

  it('cancels its query', async () => {
    const on = await open({ more: [SLOW] });
    const controller = new AbortController();
    const requestId = `leaving-${Date.now()}`;
    const headers = { 'X-Request-Id': requestId };
    const disconnected = expect(
      on.gateway.send('caller', slow, { headers, signal: controller.signal }),
    ).rejects.toThrow();
    await pollUntil('the query runs', async () => (await running(on, requestId)) > 0 || undefined);
    controller.abort();
    await disconnected;
    await untilRemoved(on, requestId);
  });

  it('at its own deadline (Prefer: wait=1) receives 504, and cancels its query', async () => {
    const on = await open({ more: [SLOW] });
    const requestId = `waiting-${Date.now()}`;
    const headers = { 'X-Request-Id': requestId, Prefer: 'wait=1' };
    const response = await on.gateway.send('caller', slow, { headers });
    expect(outcomeOf(response)).toBe('504 WAIT_OVER');
    await untilRemoved(on, requestId);
  });
});
