import { checkSqlFile, linesOf } from '../support/check-sql-file.js';
import { createTestDatabase, type TestDatabase } from '../support/clickhouse.js';

const HEADER = `/*
name: visits
id: 61f0c404-5cb3-41e7-907b-a6006ad3db98
summary: Visits.
parameters:
  q: { kind: string, description: Q. }
  n: { kind: integer, default: 5, description: N. }
columns: { city: String }
example: { q: Rome }
*/
`;
const USES_N = 'AND visits > @n';
const REQUIRED = HEADER.replace('kind: string,', 'kind: string, required: true,');
const WITHOUT_EXAMPLE = /\nexample: .*/;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.client.command({
    query:
      'CREATE TABLE cities (city String, country String, visits UInt16) ENGINE = MergeTree ORDER BY city',
  });
  await database.client.command({
    query: "INSERT INTO cities SELECT 'Rome', 'it', number + 10 FROM numbers(20)",
  });
});
afterAll(() => database.close());

/** The first fault of a file: its place, and the text after it. */
async function faultOf(source: string): Promise<readonly [place: string, text: string]> {
  const [line = ''] = linesOf(await checkSqlFile(database.client, source, { writes: false }));
  const [place = '', text = ''] = /^endpoints\/visits\.sql:(\d+:\d+): (.*)/.exec(line)?.slice(1) ?? [
    '',
    line,
  ];
  return [place, text];
}

describe('querygate check: a mistake that authors make often', () => {
  it.each([
    [
      '? for a parameter',
      `WHERE city = ? ${USES_N} AND city = @q`,
      '11:38',
      'a parameter is written @name, and declared in the header, not ?',
    ],
    ['$1 for a parameter', `WHERE city = $1 ${USES_N} AND city = @q`, '11:38', 'not $1'],
    [
      ':n for a parameter',
      `WHERE visits > :n AND city = @q ${USES_N}`,
      '11:40',
      'a parameter is written @n, and declared in the header, not :n',
    ],
    [
      'a LIMIT that is a string',
      `WHERE visits > @n LIMIT @q`,
      '11:49',
      'LIMIT needs a whole number in every call: declare the parameter as kind integer',
    ],
    [
      'types that do not compare',
      `WHERE visits = @q ${USES_N}`,
      '11:40',
      'visits is UInt16, which does not compare with the other value',
    ],
    [
      'the same, the other way around',
      `WHERE @q = visits ${USES_N}`,
      '11:31',
      'visits is UInt16, which does not compare with the other value',
    ],
  ])('%s has its place, and what to write', async (_what, rest, place, advice) => {
    const [found, text] = await faultOf(`${HEADER}SELECT city FROM cities ${rest}\n`);
    expect([found, text]).toEqual([place, expect.stringContaining(advice) as string]);
  });

  it.each([
    [
      'a LIMIT that a call can omit',
      HEADER.replace(', default: 5', ''),
      'SELECT city FROM cities WHERE city = @q LIMIT @n',
      '11:47',
      'with a default or required',
    ],
    [
      'a column that is not in GROUP BY',
      HEADER.replace('city: String', 'city: String, country: String'),
      `SELECT city, country FROM cities WHERE city = @q ${USES_N} GROUP BY city`,
      '11:14',
      'the column country is neither in GROUP BY nor aggregated: add it to GROUP BY, or write, for example, any(country)',
    ],
    [
      'no FROM',
      HEADER,
      `SELECT city WHERE city = @q ${USES_N}`,
      '11:8',
      'the query has no FROM: name the table of the column',
    ],
    [
      'no example for a required parameter',
      REQUIRED.replace(WITHOUT_EXAMPLE, ''),
      `SELECT city FROM cities WHERE city = @q ${USES_N}`,
      '2:1',
      'q is required. Write in the header values that find rows',
    ],
    [
      'columns of an earlier query',
      HEADER.replace('city: String', 'town: String'),
      `SELECT city FROM cities WHERE city = @q ${USES_N}`,
      '8:18',
      'delete columns from the header, and it is written anew',
    ],
  ])('%s has its place, and what to write', async (_what, header, select, place, advice) => {
    const [found, text] = await faultOf(`${header}${select}\n`);
    expect([found, text]).toEqual([place, expect.stringContaining(advice) as string]);
  });

  it.each([
    ['an example that the row cap cuts', 'maxRows: 3\n', 'the example has more than 3 rows, its row cap'],
    ['a name that will be reserved', '', 'parameter cursor: a later version reserves this name'],
  ])('%s is a warning', async (_what, setting, warning) => {
    const header = HEADER.replace('columns', `${setting}columns`)
      .replace('  q:', '  cursor:')
      .replace('q: Rome', 'cursor: Rome');
    const { warnings } = await checkSqlFile(
      database.client,
      `${header}SELECT city FROM cities WHERE city = @cursor ${USES_N}\n`,
    );
    expect(warnings.join()).toContain(warning);
  });
});
