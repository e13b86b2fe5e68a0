import { checkSqlFile } from '../../support/check-sql-file.js';
import { useTestDatabase } from '../../support/clickhouse.js';
import { sqlEndpointFile } from '../../support/sql-endpoint-file.js';

const database = useTestDatabase();

const faultsOf = async (columns: string, by: string, select: string): Promise<readonly string[]> => {
  const file = sqlEndpointFile('visits', [`columns: { ${columns} }`, `pages: { by: [${by}] }`], select);
  const { faults, warnings } = await checkSqlFile(database.client, file);
  return [...faults, ...warnings];
};

describe('the check of an endpoint with pages', () => {
  it('accepts rows that differ, of every type that can order them', async () => {
    const columns = `n: UInt64, price: "Decimal(9, 2)", flag: Bool, text: String, code: FixedString(2), id: UUID, v4: IPv4, v6: IPv6,
  level: "Enum8('a\\\\'b' = 1)", day: Date32, at: "Nullable(DateTime64(9, 'Asia/Tokyo'))", word: "LowCardinality(Nullable(String))"`;
    const names = 'n, price desc, flag, text, code, id, v4, v6, level, day, at, word';
    const select = `SELECT number AS n, toDecimal32(1, 2) AS price, true AS flag, '' AS text, toFixedString('', 2) AS code,
      toUUID('00000000-0000-0000-0000-000000000000') AS id, toIPv4('0.0.0.0') AS v4, toIPv6('::') AS v6,
      CAST('a\\'b', 'Enum8(\\'a\\\\\\'b\\' = 1)') AS level, toDate32('2026-01-01') AS day,
      CAST(NULL, 'Nullable(DateTime64(9, \\'Asia/Tokyo\\'))') AS at, CAST(NULL, 'LowCardinality(Nullable(String))') AS word
      FROM numbers(3)`;
    expect(await faultsOf(columns, names, select)).toEqual([]);
  });

  it('finds rows of the example that are equal in what orders them', async () => {
    const select = 'SELECT intDiv(number, 2) AS half FROM numbers(7)';
    const [fault = '', ...others] = await faultsOf('half: UInt64', 'half desc', select);
    expect(fault).toContain(
      'pages.by must differ between any two rows, but the example has 3 groups of rows with the same half: name a column more',
    );
    expect([fault, others]).toEqual([expect.stringMatching(/visits\.sql:\d+:\d+/), []]);
  });

  it.each([
    [
      'has another order than its pages',
      'n desc',
      'SELECT number AS n FROM numbers(5) WHERE true [[ AND @after ]] ORDER BY n',
    ],
    [
      'sorts its last arm alone',
      'n desc',
      `SELECT number AS n FROM numbers(5) WHERE true [[ AND @after ]]
       UNION ALL SELECT number + 10 AS n FROM numbers(5) WHERE true [[ AND @after ]] ORDER BY n DESC`,
    ],
  ])('finds a query that takes the cursor and %s', async (_what, by, select) => {
    const [fault = ''] = await faultsOf('n: UInt64', by, select);
    expect(fault).toContain('pages.by is not the order of the query: order its rows by n');
  });

  it('accepts a query that takes the cursor in the order of its pages, with a LIMIT', async () => {
    const select =
      'SELECT number AS n FROM numbers(5000) WHERE true [[ AND @after ]] ORDER BY n DESC LIMIT 1001';
    expect(await faultsOf('n: UInt64', 'n desc', select)).toEqual([]);
  });

  it('finds a mistake that only pages after the first have', async () => {
    const select =
      'SELECT number AS n FROM numbers(3) WHERE true [[ AND toDate(@after_n) = today() ]] [[ AND nn > @after_n ]]';
    const [fault = ''] = await faultsOf('n: UInt64', 'n', select);
    expect(fault).toMatch(/on a page after the first: .*nn/);
  });

  it('does not warn of a result that is cut', async () => {
    expect(await faultsOf('n: UInt64', 'n', 'SELECT number AS n FROM numbers(5000)')).toEqual([]);
  });
});
