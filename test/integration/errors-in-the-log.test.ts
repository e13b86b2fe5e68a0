import { writeFile } from 'node:fs/promises';

import { createQueryRunner } from '../../src/gateway/clickhouse/query-runner.js';
import { errorNames } from '../../src/gateway/clickhouse/error-names.js';
import type { RunQuery } from '../../src/gateway/query/ports.js';
import { useTestDatabase } from '../support/clickhouse.js';
import { call, fileOf, ReloadedProject } from '../support/reloaded-project.js';
import { failureOf, queryRequest as request } from '../support/query-requests.js';

/** Values of a request and of rows, which no diagnosis may repeat. */
const MARKED = 'Zq7MarkedValue';
const MARKED_NUMBER = 73182746;
const PARAMETERS = { city: MARKED, pattern: `(${MARKED}`, n: MARKED_NUMBER, zone: 'Pacific/Chatham' };
const VALUES = [MARKED, String(MARKED_NUMBER), 'Chatham'];

const database = useTestDatabase();
let runQuery: RunQuery;
beforeAll(async () => {
  runQuery = createQueryRunner(database.client, { timeoutMs: 20_000 });
  await database.client.command({ query: 'CREATE TABLE marked (t String, u UInt8) ENGINE = Memory' });
  await database.client.command({ query: `INSERT INTO marked VALUES ('row ${MARKED}', 1)` });
});

const C = '{city:String}';

/** A query that ClickHouse rejects, the name of the error, and what its message says of the definition. */
const OF_THE_DEFINITION: readonly (readonly [sql: string, name: string, says: string])[] = [
  [`SELECT nowhere FROM marked WHERE t = ${C}`, 'UNKNOWN_IDENTIFIER (code 47)', '`nowhere`'],
  [`SELECT 1 FROM no_table WHERE t = ${C}`, 'UNKNOWN_TABLE (code 60)', 'no_table'],
  [`SELECT no_function(${C}) FROM marked`, 'UNKNOWN_FUNCTION (code 46)', 'no_function'],
  [`SELECT CAST(${C} AS NoType)`, 'UNKNOWN_TYPE (code 50)', 'NoType'],
  [`SELECT t FROM marked WHERE = ${C}`, 'SYNTAX_ERROR (code 62)', 'Syntax error'],
  [`SELECT u + t AS n FROM marked WHERE t = ${C}`, 'ILLEGAL_TYPE_OF_ARGUMENT (code 43)', 'UInt8'],
  [`SELECT length(t, ${C}) FROM marked`, 'NUMBER_OF_ARGUMENTS_DOESNT_MATCH (code 42)', 'length'],
  [`SELECT t, count() FROM marked WHERE t = ${C} GROUP BY u`, 'NOT_AN_AGGREGATE (code 215)', 't'],
  [`SELECT t FROM marked WHERE count() > 1 AND t = ${C}`, 'ILLEGAL_AGGREGATION (code 184)', 'count()'],
  [`SELECT t FROM marked WHERE t = ${C}`, 'column n is declared', 'the query does not return it'],
  [
    'SELECT [toTimeZone(now(), {zone:String}), t] AS n FROM marked',
    'column n is declared as UInt64',
    'Array(Variant(DateTime, String))',
  ],
  [`SELECT {nothing:String}, ${C}`, 'UNKNOWN_QUERY_PARAMETER (code 456)', 'nothing'],
];

/** Errors whose messages hold values of requests or rows, or can: the name stands alone. */
const WITH_VALUES: readonly (readonly [sql: string, name: string])[] = [
  [`SELECT toUInt8(${C})`, 'CANNOT_PARSE_TEXT (code 6)'],
  [`SELECT toDateTime(${C})`, 'CANNOT_PARSE_DATETIME (code 41)'],
  [`SELECT toDate(${C})`, 'CANNOT_PARSE_DATE (code 38)'],
  [`SELECT toUUID(${C})`, 'CANNOT_PARSE_UUID (code 376)'],
  [`SELECT toIPv4(${C})`, 'CANNOT_PARSE_IPV4 (code 675)'],
  [`SELECT u = ${C} FROM marked`, ''],
  [`SELECT throwIf(t != ${C}, 'thrown') AS n FROM marked`, 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO (code 395)'],
  [`SELECT toUInt8(t) AS n FROM marked WHERE t != ${C}`, 'CANNOT_PARSE_TEXT (code 6)'],
  [
    `SELECT CAST(t AS Enum8('a' = 1)) = 'a' AS n FROM marked WHERE t != ${C}`,
    'UNKNOWN_ELEMENT_OF_ENUM (code 691)',
  ],
  [`SELECT toTimeZone(now(), ${C})`, ''],
  [`SELECT toTimeZone(now(), {zone:String}) + toDateTime64(t, 3) FROM marked`, ''],
  [`SELECT date_trunc(${C}, now())`, ''],
  [`SELECT toFixedString(${C}, 3)`, ''],
  [`SELECT arrayElement([t], {n:Int64} - {n:Int64}) + 1 AS n FROM marked`, ''],
  [`SELECT toDecimal32({n:Int64}, 9)`, 'DECIMAL_OVERFLOW (code 407)'],
  [`SELECT intDiv({n:Int64}, 0)`, 'ILLEGAL_DIVISION (code 153)'],
  [`SELECT JSONExtract(${C}, ${C})`, ''],
  [`SELECT {city:Identifier} FROM marked`, ''],
  [`SELECT dictGet(${C}, 'a', 1)`, ''],
  [`SELECT 1 SETTINGS max_threads = 'a', log_comment = ${C}`, ''],
  [`SELECT concat(t, ${C}) AS c, count() FROM marked GROUP BY u`, ''],
  [`SELECT (${C} AS x) + 1`, ''],
  [`SELECT repeat(${C}, 100000000000)`, ''],
  [`WITH (SELECT t FROM marked) AS found SELECT found + 1, ${C}`, ''],
  [`SELECT t FROM marked WHERE u IN (${C})`, ''],
];

const diagnosisOf = async (text: string): Promise<string> => {
  const failure = await failureOf(runQuery(request(text, { parameters: PARAMETERS })));
  return String(failure.details.diagnosis);
};

describe('the diagnosis of a query that ClickHouse rejects', () => {
  it.each(OF_THE_DEFINITION)(
    '%s: has the error’s name, and what ClickHouse says of the definition',
    async (sql, name, says) => {
      const diagnosis = await diagnosisOf(sql);
      expect(diagnosis).toContain(name);
      expect(diagnosis.slice(diagnosis.indexOf(name) + name.length)).toContain(says);
      for (const value of VALUES) expect(diagnosis).not.toContain(value);
    },
  );

  it.each(WITH_VALUES)(
    '%s: has the error’s name, and no value of the request or of a row',
    async (sql, name) => {
      const diagnosis = await diagnosisOf(sql);
      expect(diagnosis).toMatch(/^ClickHouse: [A-Z\d_]+ \(code \d+\)/);
      expect(diagnosis).toContain(name);
      for (const value of VALUES) expect(diagnosis).not.toContain(value);
    },
  );

  it('quotes nothing of a caller’s own SQL', async () => {
    const failure = await failureOf(runQuery(request(`SELECT * FROM ${MARKED}`, { columns: 'unknown' })));
    expect(failure.details.diagnosis).toMatch(
      /^ClickHouse: UNKNOWN_TABLE \(code 60\); has the schema been applied \(.*\)\?$/,
    );
  });
});

describe('an error of ClickHouse whose message can hold values', () => {
  it('is a name in the log, and the whole text on the admin port', async () => {
    await ReloadedProject.during(async (project) => {
      const text = fileOf('one', 1, 'first').replace(
        "SELECT @city AS city, 'first'",
        'SELECT @city AS city, toUInt8(materialize(@city))',
      );
      await writeFile(
        project.fileOf('one'),
        text.replace('version: String', 'version: UInt8').replace('Rome', '7'),
      );
      const { url, adminUrl = '' } = await project.open();
      expect((await call(url, 'one')).status).toBe(502);
      const { fields } = await project.logger.line('request');
      expect(fields).toMatchObject({ diagnosis: expect.stringContaining('CANNOT_PARSE_TEXT') as string });
      const lines = project.logger.lines.filter(({ level }) => level !== 'debug');
      expect(JSON.stringify(lines)).not.toContain('Cannot parse string');
      const errors = await (await fetch(`${adminUrl}/errors`)).text();
      expect(errors).toContain("Cannot parse string 'Rome' as UInt8");
    });
  });
});

describe('errorNames', () => {
  it('knows no name where ClickHouse does not respond, and asks again', async () => {
    let isAway = true;
    const client = new Proxy(database.client, {
      get: (target, key) => {
        if (key === 'query' && isAway) return () => Promise.reject(new Error('away'));
        return Reflect.get(target, key) as unknown;
      },
    });
    const nameOf = errorNames(client);
    expect(await nameOf('47')).toBeUndefined();
    isAway = false;
    expect(await nameOf('47')).toBe('UNKNOWN_IDENTIFIER');
  });
});
