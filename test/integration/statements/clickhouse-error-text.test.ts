import { ClickHouseError } from '@clickhouse/client';
import { text } from 'node:stream/consumers';

import {
  errorText,
  sentenceOf,
  statusOf,
  clientCode,
} from '../../../src/gateway/clickhouse/clickhouse-error-text.js';
import { errorOfText } from '../../../src/gateway/clickhouse/exception-block.js';
import { ERRORS, Failure, type ErrorCode } from '../../../src/gateway/errors.js';
import { Abort } from '../../../src/gateway/query/signal.js';
import { errorForClient } from '../../../src/gateway/tables/error-response.js';
import { useAdminClient } from '../../support/clickhouse.js';

const FAILURES = Object.keys(ERRORS) as ErrorCode[];

/** Statements that fail: the code, and the word of the statement that a client gets. */
const FAILING: readonly (readonly [code: string, sql: string, told?: string])[] = [
  ['6', "SELECT toUInt8('abc')"],
  ['15', "SELECT CAST('1', 'Tuple(a UInt8, a UInt8)')"],
  ['20', 'SELECT 1 IN (SELECT 1, 2)'],
  ['27', "SELECT CAST('[1,2', 'Array(UInt8)')"],
  ['36', 'SELECT 1 GROUP BY 2'],
  ['38', "SELECT toDate('xx')"],
  ['41', "SELECT toDateTime('xx')"],
  ['42', 'SELECT plus(1)', 'plus'],
  ['43', 'SELECT lower(1)', 'lower'],
  ['43', "SELECT sum('a')"],
  ['44', "SELECT extract('a', materialize('('))"],
  ['46', 'SELECT uniqq(1)', 'uniqq'],
  ['47', 'SELECT foo FROM system.one', 'foo'],
  ['47', 'SELECT one.foo FROM system.one', 'one.foo'],
  ['47', 'WITH part AS (SELECT 1 AS a) SELECT b FROM part', 'b'],
  ['47', 'SELECT * FROM numbers(1) AS a JOIN numbers(1) AS b USING (foo)', 'foo'],
  ['48', 'SELECT 1 WITH TOTALS'],
  ['50', 'SELECT 1::Nope', 'Nope'],
  ['53', 'SELECT 1 WHERE 1 IN (1, tuple(1))'],
  ['59', "SELECT 1 WHERE 'a'"],
  ['60', 'SELECT * FROM nothere', 'nothere'],
  ['62', 'SELECT 1 FROMM elsewhere', 'elsewhere'],
  ['63', 'SELECT rowNumber() OVER ()', 'rowNumber'],
  ['69', 'SELECT range(100000000000)'],
  ['70', "SELECT accurateCast(300, 'UInt8')"],
  ['72', "SELECT toFloat64('a')"],
  ['73', 'SELECT 1 FORMAT Nope', 'Nope'],
  ['81', 'SELECT * FROM nodb.nothere'],
  ['115', 'SELECT 1 SETTINGS nope = 1'],
  ['124', 'SELECT (1, 2) IN ((1, 2, 3))'],
  ['125', 'SELECT (SELECT number FROM numbers(2))'],
  ['130', "SELECT [1] = 'x'"],
  ['131', "SELECT repeat('a', 10000000000)"],
  ['153', 'SELECT intDiv(1, 0)'],
  ['158', 'SELECT sum(number) FROM numbers(100) SETTINGS max_rows_to_read = 10'],
  ['159', 'SELECT sleepEachRow(1) FROM numbers(3) SETTINGS max_execution_time = 0.1, max_block_size = 1'],
  ['160', 'SELECT sleep(4)'],
  ['168', 'SELECT 1 + 2 + 3 SETTINGS max_ast_elements = 1'],
  ['179', 'SELECT 1 AS foo, 2 AS foo, foo', 'foo'],
  ['182', 'SELECT * FROM system.one PREWHERE dummy'],
  ['184', 'SELECT count(count(1))'],
  ['190', 'SELECT arrayMap((x, y) -> x, [1], [1, 2])'],
  ['215', 'SELECT dummy, count() FROM system.one', 'dummy'],
  ['241', 'SELECT groupArray(number) FROM numbers(100000000) SETTINGS max_memory_usage = 1000000'],
  ['258', "SELECT 1 UNION ALL SELECT 'a', 2"],
  ['307', 'SELECT sum(number) FROM numbers(100) SETTINGS max_bytes_to_read = 10'],
  ['376', "SELECT toUUID('x')"],
  ['386', "SELECT least([1], 'a')"],
  ['395', "SELECT throwIf(1, 'zqx')"],
  ['396', 'SELECT number FROM numbers(100) SETTINGS max_result_rows = 10'],
  ['403', 'SELECT * FROM numbers(1) AS a ASOF JOIN numbers(1) AS b ON a.number = b.number'],
  ['427', "SELECT match('a', '(')"],
  ['440', "SELECT 1 LIMIT 'a'"],
  ['456', 'SELECT {foo:UInt8}', 'foo'],
  ['457', 'SELECT {set:UInt8}'],
  ['467', "SELECT 'x'::Bool"],
  ['475', 'SELECT * FROM system.one ORDER BY dummy WITH FILL STEP 0'],
  ['675', "SELECT toIPv4('x')"],
  ['676', "SELECT toIPv6('x')"],
  ['691', "SELECT CAST('x' AS Enum('a' = 1))"],
];

const wordsOf = (sql: string): ReadonlySet<string> =>
  new Set(sql.match(/\w+(\.\w+)?/g)?.flatMap((word) => [word, ...word.split('.')]));

describe('What a client gets of an error', () => {
  const client = useAdminClient();

  it('has the code and the status of ClickHouse, and a sentence of its own', async () => {
    for (const [code, sql, told] of FAILING) {
      const { signal } = new Abort();
      const response = await client.openQuery({ search: 'param_set=abc', body: sql, signal });
      const error = errorOfText(await text(response));
      if (!(error instanceof ClickHouseError)) throw new Error(`${sql}: ${error.message}`);
      const status = statusOf(error.code);
      expect([sql, error.code, clientCode(error.code), status]).toEqual([
        sql,
        code,
        code,
        response.statusCode,
      ]);
      const fixed = sentenceOf(error, undefined);
      expect([sql, sentenceOf({ code, message: '' }, wordsOf(sql))]).toEqual([sql, fixed]);
      expect(fixed).not.toBe(sentenceOf({ code: '1002', message: '' }, undefined));
      if (told !== undefined) expect(sentenceOf(error, wordsOf(sql))).toBe(`${fixed}: ${told}`);
    }
  });

  it('has the name that ClickHouse gives to the code', async () => {
    const result = await client.query({
      query: 'SELECT toString(number), errorCodeToName(number) FROM numbers(2000)',
      format: 'JSONCompactEachRow',
    });
    const all = await result.json<readonly [string, string]>();
    const codes = new Set(FAILURES.map((code) => errorForClient(new Failure(code, ''), undefined, '1').code));
    const told = all.filter(([code]) => clientCode(code) === code || codes.has(code));
    expect(told.length).toBeGreaterThan(75);
    for (const [code, name] of told)
      expect(errorText(code, 'text', '1')).toContain(`text. (${name}) (version`);
  });
});
