import { checkSqlFile, linesOf } from '../support/check-sql-file.js';
import { useTestDatabase } from '../support/clickhouse.js';

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

const database = useTestDatabase();
beforeAll(async () => {
  await database.client.command({
    query:
      'CREATE TABLE cities (city String, country String, visits UInt16) ENGINE = MergeTree ORDER BY city',
  });
  await database.client.command({
    query: "INSERT INTO cities SELECT 'Rome', 'it', number + 10 FROM numbers(20)",
  });
});

/** The first fault of a file: its place, and the text after it. */
async function faultOf(source: string): Promise<readonly [place: string, text: string]> {
  const [line = ''] = linesOf(await checkSqlFile(database.client, source, { writes: false }));
  const [place = '', text = ''] = /^endpoints\/visits\.sql:(\d+:\d+): (.*)/.exec(line)?.slice(1) ?? [
    '',
    line,
  ];
  return [place, text];
}

describe('querygate check: a list that could be a set', () => {
  const LISTS = HEADER.replace('{ kind: integer, default: 5,', '{ kind: integer-list, default: 5,');
  const adviceFor = async (select: string, header = LISTS): Promise<readonly string[]> => {
    const source = `${header}${select}`;
    const { warnings, faults } = await checkSqlFile(database.client, source, { writes: false });
    expect(faults).toEqual([]);
    return warnings.filter((warning) => warning.includes('set: true'));
  };
  const ADVICE = [expect.stringMatching(/^the list n is only used in IN, .* write set: true for it/)];

  it.each([
    'SELECT city FROM cities WHERE city = @q AND visits IN @n',
    'SELECT city FROM cities WHERE city = @q [[ AND visits NOT IN (@n) ]]',
    'SELECT city FROM cities WHERE city = @q AND (visits GLOBAL IN (@n) OR visits + 1 IN @n)',
    'WITH few AS (SELECT * FROM cities WHERE visits IN (@n)) SELECT city FROM few WHERE city = @q',
  ])('is advised to be one where all of its uses are in IN: %s', async (select) => {
    expect(await adviceFor(select)).toEqual(ADVICE);
    expect(await adviceFor(select, LISTS.replace('integer-list,', 'integer-list, set: true,'))).toEqual([]);
  });

  it.each([
    'SELECT city FROM cities WHERE city = @q AND visits IN @n ORDER BY indexOf(@n, visits)',
    'SELECT city FROM cities WHERE city = @q AND visits IN @n [[ AND length(@n) > 0 ]]',
    'WITH @n AS ids SELECT city FROM cities WHERE city = @q AND visits IN ids AND notEmpty(ids)',
    'SELECT city FROM cities WHERE city = @q AND [toInt64(visits)] IN (@n)',
    'SELECT city FROM cities WHERE city = @q AND visits IN (SELECT arrayJoin(@n) LIMIT 1)',
    'SELECT city FROM cities WHERE city = @q AND visits IN (@n[1], 5)',
  ])('is not where a use is another: %s', async (select) => {
    expect(await adviceFor(select)).toEqual([]);
  });
});

/** The warnings about aliases that hide columns. */
async function hiddenIn(select: string): Promise<readonly string[]> {
  const header = HEADER.replace('columns: { city: String }\n', '').replace(/ {2}n: .*\n/, '');
  const written = select.startsWith('WITH') ? select : `SELECT ${select}`;
  const { warnings, faults } = await checkSqlFile(database.client, `${header}${written}\n`);
  expect(faults).toEqual([]);
  return warnings.filter((warning) => warning.includes('is the alias of'));
}

describe('querygate check: a mistake that authors make often', () => {
  const ADVICE: readonly (readonly [place: string, rest: string, advice: string, header?: string])[] = [
    [
      '11:38',
      `WHERE city = ? ${USES_N} AND city = @q`,
      'a parameter is written @name, and declared in the header, not ?',
    ],
    ['11:38', `WHERE city = $1 ${USES_N} AND city = @q`, 'not $1'],
    [
      '11:40',
      `WHERE visits > :n AND city = @q ${USES_N}`,
      'is written @n, and declared in the header, not :n',
    ],
    [
      '11:49',
      'WHERE visits > @n LIMIT @q',
      'LIMIT needs a whole number in every call: declare the parameter as kind integer',
    ],
    ['11:47', 'WHERE city = @q LIMIT @n', 'with a default or required', HEADER.replace(', default: 5', '')],
    ['11:40', `WHERE visits = @q ${USES_N}`, 'visits is UInt16, which does not compare with the other value'],
    ['11:31', `WHERE @q = visits ${USES_N}`, 'visits is UInt16, which does not compare with the other value'],
    [
      '11:8',
      `WHERE city = @q ${USES_N} GROUP BY visits`,
      'the column city is neither in GROUP BY nor aggregated: add it to GROUP BY, or write, for example, any(city)',
    ],
    [
      '2:1',
      `WHERE city = @q ${USES_N}`,
      'q is required. Write in the header values that find rows',
      REQUIRED.replace(WITHOUT_EXAMPLE, ''),
    ],
    [
      '8:18',
      `WHERE city = @q ${USES_N}`,
      'delete columns from the header, and it is written anew',
      HEADER.replace('city: String', 'town: String'),
    ],
  ];
  it.each(ADVICE.map(([place, rest, advice, header = HEADER]) => [place, rest, advice, header] as const))(
    'has its place, and what to write: %s %s',
    async (place, rest, advice, header) => {
      const [found, text] = await faultOf(`${header}SELECT city FROM cities ${rest}\n`);
      expect([found, text]).toEqual([place, expect.stringContaining(advice) as string]);
    },
  );

  it.each([
    [
      'max(city) AS city FROM cities WHERE city = @q',
      '11:21',
      'city is max(…) in WHERE too, because its alias hides a column of that name: call it max_city',
    ],
    [
      'any(city) AS city, max(city) AS last FROM cities WHERE visits > 1 [[ AND country = @q ]]',
      '11:21',
      'city is any(…) in another aggregate function too',
    ],
    [
      'any(city) AS city FROM cities WHERE max(visits) > 1 AND country = @q',
      '11:44',
      'WHERE cannot contain the aggregate max: write the condition in HAVING',
    ],
  ])('is an aggregate where a column was meant, or before the groups: %s', async (select, at, advice) => {
    const [place, text] = await faultOf(`${HEADER}SELECT ${select} [[ AND visits > @n ]]\n`);
    expect([place, text]).toEqual([at, expect.stringContaining(advice) as string]);
  });

  it.each([
    'SELECT number AS n FROM numbers(3) UNION ALL SELECT number FROM numbers(8)\nORDER BY n DESC',
    "SELECT 'a' AS n UNION ALL SELECT 'b'\nORDER BY n",
  ])('is a name that the last SELECT of a UNION does not have: %s', async (select) => {
    const header = HEADER.replace(/parameters:[^]*/, '');
    for (const [rest, line] of [
      ['*/\n', 7],
      ['columns: { n: String }\n*/\n', 8],
    ] as const) {
      const [place, text] = await faultOf(`${header}${rest}${select}`);
      expect(place).toBe(`${line}:10`);
      expect(text).toContain('Unknown expression identifier `n`; ORDER BY at the end of the query belongs');
    }
  });

  it.each([
    [
      'SELECT city FROM cities UNION ALL SELECT country FROM cities ORDER BY city LIMIT 3',
      'ORDER BY and LIMIT',
    ],
    ['SELECT city FROM cities EXCEPT SELECT country FROM cities LIMIT 3', 'LIMIT'],
    [
      'SELECT city FROM cities UNION DISTINCT (SELECT country FROM cities ORDER BY country LIMIT 3)',
      undefined,
    ],
    [
      'SELECT city FROM (SELECT city FROM cities UNION ALL SELECT country FROM cities) ORDER BY city LIMIT 3',
      undefined,
    ],
    ["SELECT 'UNION ALL' AS city FROM cities ORDER BY city LIMIT 3", undefined],
  ])('is a clause that belongs to the last SELECT of a UNION alone: %s', async (select, clauses) => {
    const header = HEADER.replace(/parameters:[^]*(?=columns)/, '').replace(WITHOUT_EXAMPLE, '');
    const { warnings, faults } = await checkSqlFile(database.client, `${header}${select}`);
    expect(faults).toEqual([]);
    const found = warnings.filter((warning) => warning.includes('the last SELECT alone'));
    expect(found).toEqual(clauses === undefined ? [] : [expect.stringMatching(`^${clauses} at the end`)]);
  });

  const inTable = (alias: string): string =>
    `the alias of ${alias}(…) there and not the column: write cities.`;
  it.each([
    ['upper(city) AS city FROM cities WHERE city = @q', `WHERE uses city, which is ${inTable('upper')}city`],
    [
      'upper(country) AS city FROM cities WHERE city = @q',
      `WHERE uses city, which is ${inTable('upper')}city`,
    ],
    [
      'upper(t.city) AS city FROM cities AS t PREWHERE visits > 1 WHERE city = @q',
      'write t.city for the column',
    ],
    ['city FROM (SELECT upper(city) AS city FROM cities WHERE city = @q)', `WHERE uses city`],
    [
      'upper(city) AS city FROM (SELECT * FROM cities) WHERE city = @q',
      'write t.city, with AS t behind what is read,',
    ],
    [
      'toString(n) AS city FROM (SELECT number AS n, toString(number) AS city FROM numbers(3)) AS u WHERE city = @q',
      'write u.city',
    ],
    [
      'WITH w AS (SELECT * FROM cities), upper(city) AS city SELECT city FROM w WHERE city = @q',
      'write w.city',
    ],
    ['* REPLACE (upper(city) AS city) FROM (SELECT city FROM cities) AS t WHERE city = @q', 'uses city'],
    [
      'toString(number) AS number, number AS city FROM numbers(3) WHERE number = @q',
      'write t.number, with AS t behind what is read,',
    ],
    [
      'c.city, upper(c.country) AS visits FROM cities AS c JOIN cities AS d ON c.city = d.city AND visits = @q',
      'ON uses visits',
    ],
    ['upper(city) AS city FROM cities WHERE visits > 1 [[ AND city = @q ]]', 'WHERE uses city'],
  ])('is an alias in place of the column that it hides: %s', async (select, advice) => {
    expect(await hiddenIn(select)).toEqual([expect.stringContaining(advice)]);
  });

  it.each([
    'upper(city) AS city FROM cities WHERE cities.city = @q ORDER BY city',
    'city AS city FROM cities WHERE city = @q',
    't.city AS city FROM cities AS t WHERE city = @q',
    'upper(city) AS city FROM cities AS t WHERE t.city = @q GROUP BY city HAVING city != @q',
    'upper(city) AS name, name AS city FROM cities WHERE name = @q',
    'upper(city) AS city FROM cities WHERE cities.city IN (SELECT city FROM cities WHERE city = @q)',
    'upper(city) AS city FROM cities WHERE arrayExists(city -> city = @q, [country])',
    'any(city) AS city FROM cities JOIN cities AS d USING (city) WHERE d.city = @q GROUP BY d.visits',
  ])('is no alias that hides nothing, or not there: %s', async (select) => {
    expect(await hiddenIn(select)).toEqual([]);
  });

  it('is to name a table where the query has no FROM', async () => {
    const [place, text] = await faultOf(`${HEADER}SELECT city WHERE city = @q ${USES_N}\n`);
    expect([place, text]).toEqual([
      '11:8',
      expect.stringContaining('the query has no FROM: name the table') as string,
    ]);
  });

  it('is to expect fewer rows where the row cap cuts the example, unless the rest has pages', async () => {
    const warningsOf = async (setting: string): Promise<string> => {
      const header = HEADER.replace('columns', `${setting}columns`);
      const select = `SELECT city FROM cities WHERE city = @q ${USES_N}`;
      return (await checkSqlFile(database.client, `${header}${select}\n`)).warnings.join();
    };
    expect(await warningsOf('maxRows: 3\n')).toContain('the example has more than 3 rows, its row cap');
    expect(await warningsOf('maxRows: 3\npages: { by: [city] }\n')).toBe('');
  });
});
