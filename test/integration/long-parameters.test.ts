import fc from 'fast-check';

import { createQueryRunner } from '../../src/gateway/clickhouse/query-runner.js';
import { column, type Column } from '../../src/endpoint/definition.js';
import { OPERATORS } from '../../src/endpoint/figures.js';
import { representationOf } from '../../src/gateway/formats/representation.js';
import type { RunQuery } from '../../src/gateway/query/ports.js';
import { useTestDatabase } from '../support/clickhouse.js';
import { failureOf, queryRequest as request, rowsOf } from '../support/query-requests.js';

const database = useTestDatabase();
let runQuery: RunQuery;

beforeAll(() => {
  runQuery = createQueryRunner(database.client, { timeoutMs: 10_000 });
});

const VALUE_BYTES = 64 * 1024;
const PARQUET = representationOf('parquet', { times: 'iso', formulaSafe: false });
const columnsOf = (types: Readonly<Record<string, string>>): ReadonlyMap<string, Column> =>
  new Map(Object.entries(types).map(([name, type]) => [name, column(type, '')]));

describe('long parameters', () => {
  it('are received unchanged, whatever they contain', async () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
      fc.constantFrom('\\N', "'", "','", '\r', '\n', '\r\n', '\r\n--', '%', '&', '\u2028'),
    );
    const long = piece.map((text) => text + text.repeat(5000 / text.length));
    const columns = columnsOf({
      one: 'String',
      maybe: 'Nullable(String)',
      list: 'Array(String)',
      number: 'UInt8',
    });
    const query =
      'SELECT {one:String} AS one, {maybe:Nullable(String)} AS maybe, {list:Array(String)} AS list, {number:UInt8} AS number';
    await fc.assert(
      fc.asyncProperty(
        long,
        fc.option(piece),
        fc.array(piece, { minLength: 1, maxLength: 4 }),
        async (one, maybe, list) => {
          const parameters = { one, maybe, list, number: 7 };
          expect(rowsOf(await runQuery(request(query, { columns, parameters })))).toEqual([parameters]);
        },
      ),
      { numRuns: 100 },
    );
  });

  it.each(['a', "'", '\\', '\n', 'é', '日'])(
    'of 250 KiB together, made of %j, are received whole in every kind of format',
    async (character) => {
      const text = character.repeat(VALUE_BYTES / Buffer.byteLength(character));
      const parameters = { a: text, b: text, c: text, d: text.slice(0, text.length / 2) };
      const query =
        'SELECT length({a:String}) AS a, length({b:String}) AS b, length({c:String}) AS c, {d:String} AS d LIMIT {row_limit:UInt64}';
      const columns = columnsOf({ a: 'UInt64', b: 'UInt64', c: 'UInt64', d: 'String' });
      const bound = { columns, parameters: { ...parameters, row_limit: 2 } };
      const length = Buffer.byteLength(text);
      const rows = [{ a: length, b: length, c: length, d: parameters.d }];
      expect(rowsOf(await runQuery(request(query, bound)))).toEqual(rows);
      const parquet = await runQuery(request(query, { ...bound, representation: PARQUET }));
      expect(parquet.rowCount).toBe(1);
    },
  );

  it('of a caller’s own SQL are received for DESCRIBE and for the query', async () => {
    const parameters = { a: 'x'.repeat(VALUE_BYTES) };
    const result = await runQuery(
      request('SELECT length({a:String}) AS n', { columns: 'unknown', parameters }),
    );
    expect(rowsOf(result)).toEqual([{ n: VALUE_BYTES }]);
  });

  it('leave the request id, the settings and the figures of the query as they are', async () => {
    const requestId = `long-${Date.now()}`;
    const parameters = { a: 'x'.repeat(VALUE_BYTES) };
    const text = 'SELECT sum(number + length({a:String})) AS n FROM numbers(1000)';
    const result = await runQuery(request(text, { requestId, parameters }));
    expect(result.cost.readBy(OPERATORS).rowsRead).toBe(1000);
    expect(result.queryId).toContain(`${requestId}-`);
    await database.client.command({ query: 'SYSTEM FLUSH LOGS' });
    const logged = await database.client.query({
      query: `SELECT query_id, Settings['readonly'] AS readonly, query, current_database FROM system.query_log
              WHERE type = 'QueryFinish' AND log_comment = {requestId:String}`,
      query_params: { requestId },
      format: 'JSONEachRow',
    });
    const [line, ...others] = await logged.json<Record<string, string>>();
    expect(others).toEqual([]);
    expect(line).toMatchObject({ query_id: result.queryId, readonly: '2', current_database: database.name });
    expect(line?.['query']).toContain('FROM numbers(1000)');
  });

  it('leave the failure of a query as it is', async () => {
    const parameters = { p: '('.repeat(VALUE_BYTES) };
    const failure = await failureOf(runQuery(request("SELECT match('', {p:String}) AS n", { parameters })));
    expect(failure.code).toBe('BAD_REGULAR_EXPRESSION');
    expect(failure.message).not.toContain('(((');
  });
});
