import { describe as describeQuery } from '../../src/gateway/clickhouse/describe-columns.js';
import { createQueryRunner } from '../../src/gateway/clickhouse/query-runner.js';
import { column } from '../../src/endpoint/definition.js';
import { OPERATORS } from '../../src/endpoint/figures.js';
import type { QueryCost } from '../../src/endpoint/limit-rules.js';
import type { Failure } from '../../src/gateway/errors.js';
import type { QueryResult, RunQuery } from '../../src/gateway/query/ports.js';
import { useTestDatabase } from '../support/clickhouse.js';
import { pollUntil } from '../support/poll-until.js';
import { failureOf, queryRequest as request, rowsOf } from '../support/query-requests.js';

const TIMEOUT_MS = 10_000;

const database = useTestDatabase();
let runQuery: RunQuery;

beforeAll(() => {
  runQuery = createQueryRunner(database.client, { timeoutMs: TIMEOUT_MS });
});

/** Returns the number of queries running in ClickHouse whose text contains the marker. */
const running = async (marker: string): Promise<number> => {
  const query = `SELECT count() AS n FROM system.processes WHERE query LIKE '%${marker}%' AND query NOT LIKE '%system.processes%'`;
  const result = await database.client.query({ query, format: 'JSONEachRow' });
  const [row] = await result.json<{ n: number | string }>();
  return Number(row?.n);
};
const untilRemoved = (marker: string): Promise<true> =>
  pollUntil('the query is no longer in system.processes', async () =>
    (await running(marker)) === 0 ? true : undefined,
  );
/** Runs for half a minute unless it is cancelled. */
const slowQuery = (marker: string): string =>
  `SELECT number AS n, '${marker}' FROM numbers(30) WHERE sleepEachRow(1) = 0 SETTINGS max_block_size = 1`;

describe('the row cap', () => {
  const cut = async (rows: number, rowCap: number): Promise<QueryResult> => {
    const text = 'SELECT number AS n FROM numbers({rows:UInt64}) ORDER BY n LIMIT {row_limit:UInt64}';
    return runQuery(request(text, { rowCap, parameters: { rows, row_limit: rowCap + 1 } }));
  };

  // 65,409 rows are one block of ClickHouse.
  it.each([1, 10, 1000, 70_000])(
    'of %i returns exactly as many rows, and reports that there are more',
    async (cap) => {
      const result = await cut(cap + 1, cap);
      expect([result.rowCount, result.truncated]).toEqual([cap, true]);
      const rows = rowsOf(result);
      expect(rows).toHaveLength(cap);
      expect(rows.at(-1)).toEqual({ n: cap - 1 });
    },
  );

  it.each([1, 10, 1000, 70_000])('of %i does not truncate a result of exactly as many rows', async (cap) => {
    const result = await cut(cap, cap);
    expect([result.rowCount, result.truncated]).toEqual([cap, false]);
    expect(rowsOf(result)).toHaveLength(cap);
  });

  it('is reported if there are many more rows', async () => {
    const result = await cut(1_000_000, 1000);
    expect([result.rowCount, result.truncated]).toEqual([1000, true]);
  });

  it('has no effect without rows', async () => {
    const result = await cut(0, 1000);
    expect([result.rowCount, result.truncated, result.body.toString()]).toEqual([0, false, '{"result":[]}']);
  });
});

describe('a result', () => {
  it('has the values that the contract defines', async () => {
    const expressions: Readonly<Record<string, readonly [sql: string, value: unknown]>> = {
      micros: ["toDateTime64('2026-05-17 10:05:03.123456', 6, 'UTC')", '2026-05-17T10:05:03.123456Z'],
      bucket: ["toDateTime('2026-05-17 10:00:00', 'UTC')", '2026-05-17T10:00:00Z'],
      day: ["toDateTime64('2026-05-17', 0, 'UTC')", '2026-05-17T00:00:00Z'],
      early: ["toDateTime64('1900-01-01 00:00:00.000001', 6, 'UTC')", '1900-01-01T00:00:00.000001Z'],
      count: ['toUInt64(9007199254740991)', 9007199254740991],
      average: ['0.1::Float64', 0.1],
      nan: ['nan', null],
      infinity: ['inf', null],
      null: ['CAST(NULL AS Nullable(String))', null],
      id: ["toUUID('8f0c7f5e-3a8d-4c55-9a0e-6f1f0b6a2d11')", '8f0c7f5e-3a8d-4c55-9a0e-6f1f0b6a2d11'],
      text: ["'a\\tb\\nc\"d/e\\\\f\\0g'", 'a\tb\nc"d/e\\f\0g'],
      bytes: ["unhex('61FF62')", 'a\uFFFDb'],
      empty: ["''", ''],
    };
    const text = `SELECT ${Object.entries(expressions)
      .map(([name, [sql]]) => `${sql} AS ${name}`)
      .join(', ')}`;
    const { client } = database;
    const { signal } = new AbortController();
    const described = await describeQuery({ text, parameters: {} }, { client, signal });
    const columns = new Map(described.map(({ name, type }) => [name, column(type, '')]));
    const [row] = rowsOf(await runQuery(request(text, { columns })));
    expect(row).toEqual(
      Object.fromEntries(Object.entries(expressions).map(([name, [, value]]) => [name, value])),
    );
    expect(Object.keys(row ?? {})).toEqual(Object.keys(expressions));
  });

  it('reports what ClickHouse read for it, and how long that took', async () => {
    const result = await runQuery(request('SELECT sum(number) AS n FROM numbers(1000)'));
    const cost = result.cost.readBy(OPERATORS);
    expect(cost.rowsRead).toBe(1000);
    expect(Math.min(cost.bytesRead, cost.clickhouseMs)).toBeGreaterThan(0);
  });
});

describe('a query that ClickHouse rejects', () => {
  it.each([
    ['of a table that does not exist', 'SELECT n FROM nowhere.secret_table', 'ENDPOINT_INVALID', 'UNKNOWN_'],
    ['that is not SQL', 'SELEKT secret_table', 'ENDPOINT_INVALID', '62'],
    [
      'that fails after many rows',
      "SELECT throwIf(number = 300000, 'secret_table') AS n FROM numbers(400000) SETTINGS max_block_size = 1000",
      'CLICKHOUSE_FAILED',
      '395',
    ],
    [
      'that fails after more bytes than ClickHouse buffers of a response',
      "SELECT if(throwIf(number = 49999, 'secret_table') = 0, repeat('x', 1024), '') AS n FROM numbers(50000) SETTINGS max_block_size = 1000",
      'CLICKHOUSE_FAILED',
      '395',
    ],
    [
      'that exceeds ClickHouse’s own time limit',
      'SELECT sleepEachRow(0.1) AS n FROM numbers(100) SETTINGS max_execution_time = 0.3, max_block_size = 1',
      'QUERY_TIMEOUT',
      'TIMEOUT_EXCEEDED',
    ],
    [
      'that needs too much memory',
      'SELECT length(groupArray(number)) AS n FROM numbers(10000000)',
      'QUERY_NEEDS_TOO_MUCH_MEMORY',
      'MEMORY_LIMIT_EXCEEDED',
    ],
    [
      'that reads too many rows',
      'SELECT count() AS n FROM numbers(1000000) SETTINGS max_rows_to_read = 1000',
      'QUERY_READS_TOO_MUCH',
      'TOO_MANY_ROWS',
    ],
    [
      'whose regular expression does not compile',
      "SELECT match('', {p:String}) AS n",
      'BAD_REGULAR_EXPRESSION',
      'CANNOT_COMPILE_REGEXP',
    ],
    [
      'whose regular expression does not compile and looks like another error',
      "SELECT match('', concat('Exception: (SECRET_VALUE) (TIMEOUT_EXCEEDED)', {p:String})) AS n",
      'BAD_REGULAR_EXPRESSION',
      'CANNOT_COMPILE_REGEXP',
    ],
    ['that writes', 'INSERT INTO edge_logs (project) SELECT 1', 'ENDPOINT_INVALID', 'SYNTAX_ERROR'],
  ])('%s is a failure without ClickHouse’s words', async (_what, text, code, diagnosis) => {
    const isText = text.includes('repeat');
    const failure = await failureOf(
      runQuery(
        request(text, {
          parameters: { p: '(' },
          ...(isText && { columns: new Map([['n', column('String', '')]]) }),
          ...(code === 'QUERY_NEEDS_TOO_MUCH_MEMORY' && { limits: { maxMemoryBytes: 1_000_000 } }),
        }),
      ),
    );
    expect(failure.code).toBe(code);
    expect(failure.message).not.toMatch(/secret_table|SECRET_VALUE|DB::Exception|SELECT|numbers/);
    expect(failure.details.diagnosis).toContain(diagnosis);
    expect(failure.details.diagnosis).not.toMatch(/secret_table|SECRET_VALUE|SELEKT|DB::Exception/);
  });

  it('for a missing table has a diagnosis with the remedy', async () => {
    const failure = await failureOf(runQuery(request('SELECT n FROM secret_table')));
    expect(failure.details.diagnosis).toContain('has the schema been applied (querygate migrate)?');
  });
});

describe('a query that takes too long', () => {
  it('returns 504 at the gateway’s limit, and ends in ClickHouse', async () => {
    const impatient = createQueryRunner(database.client, { timeoutMs: 300 });
    const failure = await failureOf(impatient(request(slowQuery('marker-timeout'))));
    expect([failure.code, failure.status]).toEqual(['QUERY_TIMEOUT', 504]);
    expect(failure.message).toContain('0.3 seconds');
    await untilRemoved('marker-timeout');
  });

  it('leaves the connections free for the next query', async () => {
    expect(rowsOf(await runQuery(request('SELECT 1 AS n')))).toEqual([{ n: 1 }]);
  });
});

describe('the request id', () => {
  it('is in ClickHouse’s query log, as comment and in the query id, even for two queries at once', async () => {
    const requestId = `request-${Date.now()}`;
    const one = request('SELECT 1 AS n', { requestId });
    await Promise.all([runQuery(one), runQuery(one)]);
    // ClickHouse logs the end of a query after its response.
    const ids = await pollUntil('both queries are logged', async () => {
      await database.client.command({ query: 'SYSTEM FLUSH LOGS' });
      const logged = await database.client.query({
        query: `SELECT DISTINCT query_id FROM system.query_log
                WHERE type = 'QueryFinish' AND log_comment = {requestId:String}`,
        query_params: { requestId },
        format: 'JSONEachRow',
      });
      const rows = await logged.json<{ query_id: string }>();
      return rows.length >= 2 ? rows.map(({ query_id }) => query_id) : undefined;
    });
    expect(ids).toHaveLength(2);
    for (const id of ids) expect(id.startsWith(`${requestId}-`)).toBe(true);
  });
});

describe('a query that ends early', () => {
  const MILLIONS = 'SELECT sum(cityHash64(number)) AS n FROM numbers(100000000000)';
  const costOf = ({ details: { cost } }: Failure): QueryCost | undefined => cost?.readBy(OPERATORS);

  it('at its time limit has cost what ClickHouse says that it read', async () => {
    const failure = await failureOf(
      createQueryRunner(database.client, { timeoutMs: 1000 })(request(MILLIONS)),
    );
    expect(failure.code).toBe('QUERY_TIMEOUT');
    const { rowsRead = 0, bytesRead = 0, clickhouseMs = 0 } = costOf(failure) ?? {};
    // ClickHouse's own clock can end the query a little before its limit.
    expect([rowsRead > 100_000, bytesRead > 800_000, clickhouseMs > 900]).toEqual([true, true, true]);
  });

  it('with an error has cost what ClickHouse says that it read', async () => {
    const text = 'SELECT sum(throwIf(number = 3000000)) AS n FROM numbers(10000000)';
    expect(costOf(await failureOf(runQuery(request(text))))?.rowsRead).toBeGreaterThan(1_000_000);
  });

  it('because the caller left has cost its time', async () => {
    const leaving = new AbortController();
    const left = failureOf(runQuery({ ...request(slowQuery('left early')), signal: leaving.signal }));
    await pollUntil('it runs', async () => ((await running('left early')) > 0 ? true : undefined));
    leaving.abort();
    const failure = await left;
    expect([failure.code, costOf(failure)?.clickhouseMs]).toEqual(['CALLER_GONE', expect.any(Number)]);
    expect(costOf(failure)?.clickhouseMs).toBeGreaterThan(0);
  });
});
