import { openSandbox, type Row } from './sandbox-under-test.js';
import { openForAll } from '../../support/opened.js';

const NOW = new Date('2096-03-01T12:00:00Z');
const ROWS = 150;

const sandbox = openForAll(() => openSandbox('logs.all', { project: 'aurora', project_tier: 'PRO' }, NOW));

const record = (index: number, project: string): object => ({
  project,
  timestamp: new Date(NOW.getTime() - (index + 1) * 60_000).toISOString(),
  event_message: `${index % 2 === 0 ? 'GET' : 'POST'} /v1/item/${index}`,
  metadata: { request: { url: `https://${project}.example/v1/item/${index}?q=${index}` }, n: index },
});

beforeAll(async () => {
  const indexes = Array.from({ length: ROWS }, (_, index) => index);
  await sandbox.database.insert(
    'edge_logs',
    indexes.map((index) => record(index, 'aurora')),
  );
  await sandbox.database.insert(
    'edge_logs',
    indexes.map((index) => record(index, 'other')),
  );
  await sandbox.database.insert('database_logs', [
    { project: 'aurora', timestamp: '2096-03-01T11:59:00Z', event_message: 'checkpoint', severity: 'LOG' },
  ]);
});

/** The complete result of each SELECT. */
const RESULTS: Readonly<Record<string, readonly Row[]>> = {
  'SELECT count() AS n FROM result': [{ n: 100 }],
  'SELECT count() AS n FROM edge_source': [{ n: ROWS }],
  'select Count(*) as n from edge_source;': [{ n: ROWS }],
  "SELECT count() AS n FROM edge_source AS e WHERE e.event_message LIKE 'GET%'": [{ n: 75 }],
  'SELECT event_message AS m FROM result ORDER BY timestamp ASC LIMIT 2': [
    { m: 'POST /v1/item/99' },
    { m: 'GET /v1/item/98' },
  ],
  "SELECT splitByChar(' ', event_message)[1] AS method, count() AS n FROM result GROUP BY method ORDER BY method":
    [
      { method: 'GET', n: 50 },
      { method: 'POST', n: 50 },
    ],
  'SELECT max(timestamp) AS t FROM result': [{ t: '2096-03-01T11:59:00.000000Z' }],
  'SELECT toStartOfHour(timestamp) AS hour, count() AS n FROM edge_source GROUP BY hour ORDER BY hour DESC LIMIT 2':
    [
      { hour: '2096-03-01T11:00:00Z', n: 60 },
      { hour: '2096-03-01T10:00:00Z', n: 60 },
    ],
  "WITH posts AS (SELECT * FROM result WHERE event_message LIKE 'POST%') SELECT count() AS n FROM posts": [
    { n: 50 },
  ],
  'WITH a AS (SELECT id FROM result), b AS (SELECT id FROM a LIMIT 7) SELECT count() AS n FROM b': [{ n: 7 }],
  'SELECT count() AS n FROM result AS r INNER JOIN edge_source AS e ON r.id = e.id': [{ n: 100 }],
  'SELECT count() AS n FROM edge_source AS e LEFT ANTI JOIN result AS r USING (id)': [{ n: 50 }],
  'SELECT count() AS n FROM edge_source WHERE id NOT IN (SELECT id FROM result)': [{ n: 50 }],
  'SELECT count() AS n FROM edge_source WHERE (id, timestamp) IN (SELECT id, timestamp FROM result)': [
    { n: 100 },
  ],
  "SELECT * FROM (SELECT 'edge' AS s, count() AS n FROM edge_source UNION ALL SELECT 'db', count() FROM database_source) ORDER BY n DESC":
    [
      { s: 'edge', n: ROWS },
      { s: 'db', n: 1 },
    ],
  "SELECT JSONExtractInt(metadata, 'n') AS n FROM result ORDER BY n LIMIT 3": [{ n: 0 }, { n: 1 }, { n: 2 }],
  "SELECT domain(JSONExtractString(metadata, 'request', 'url')) AS d, uniqExact(id) AS n FROM result GROUP BY d":
    [{ d: 'aurora.example', n: 100 }],
  'SELECT arraySum(arrayMap(x -> x * 2, [1, 2, 3])) AS s': [{ s: 12 }],
  'SELECT arrayFilter((x, y) -> x > y, [1, 5], [2, 3]) AS a': [{ a: [5] }],
  "SELECT CASE WHEN 1 > 2 THEN 'a' WHEN 2 > 1 THEN 'b' ELSE 'c' END AS c": [{ c: 'b' }],
  "SELECT CASE 3 WHEN 3 THEN 'x' ELSE 'y' END AS c": [{ c: 'x' }],
  'SELECT number FROM (SELECT arrayJoin([3, 1, 2]) AS number) ORDER BY number DESC': [
    { number: 3 },
    { number: 2 },
    { number: 1 },
  ],
  'SELECT x, sum(x) OVER (ORDER BY x) AS s FROM (SELECT arrayJoin([1, 2, 3]) AS x) ORDER BY x': [
    { x: 1, s: 1 },
    { x: 2, s: 3 },
    { x: 3, s: 6 },
  ],
  'SELECT x, row_number() OVER w AS r FROM (SELECT arrayJoin([5, 6]) AS x) WINDOW w AS (ORDER BY x DESC) ORDER BY x':
    [
      { x: 5, r: 2 },
      { x: 6, r: 1 },
    ],
  'SELECT lagInFrame(x, 1, 0) OVER (ORDER BY x ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS p FROM (SELECT arrayJoin([1, 2]) AS x) ORDER BY p':
    [{ p: 0 }, { p: 1 }],
  'SELECT 1 AS `odd name`, 2 AS `100 %`': [{ 'odd name': 1, '100 %': 2 }],
  "SELECT [1, 2] AS a, (1, 'b') AS t, map('k', 1) AS m, NULL AS z, true AS b": [
    { a: [1, 2], t: [1, 'b'], m: { k: 1 }, z: null, b: true },
  ],
  "SELECT CAST((1, NULL), 'Tuple(a UInt8, b Nullable(String))') AS t": [{ t: { a: 1, b: null } }],
  'SELECT toUInt64(18446744073709551615) > 0 AS big, nan AS n, -1 / 0 AS i': [{ big: 1, n: null, i: null }],
  "SELECT unhex('61FF62') AS u, 'a\\nb' AS line": [{ u: 'a\uFFFDb', line: 'a\nb' }],
  "SELECT toDate('2096-03-01') AS d, toDateTime('2096-03-01 10:00:00') AS t, toDateTime64('2096-03-01 10:00:00.5', 3) AS m":
    [{ d: '2096-03-01', t: '2096-03-01T10:00:00Z', m: '2096-03-01T10:00:00.500Z' }],
  "SELECT dateDiff('hour', toDateTime('2096-03-01 00:00:00'), toDateTime('2096-03-01 05:00:00')) AS h": [
    { h: 5 },
  ],
  "SELECT formatDateTime(toDateTime('2096-03-01 00:00:00') + INTERVAL 1 DAY, '%Y-%m-%d') AS d": [
    { d: '2096-03-02' },
  ],
  "SELECT replaceRegexpAll('a1b22', '\\\\d+', '#') AS r, match('abc', '^a') AS m": [{ r: 'a#b#', m: 1 }],
  "SELECT extractAllGroups('k=v', '(\\\\w)=(\\\\w)') AS g": [{ g: [['k', 'v']] }],
  'SELECT quantile(0.5)(x) AS q, quantilesExact(0.1, 0.9)(x) AS qs FROM (SELECT arrayJoin([1, 2, 3]) AS x)': [
    { q: 2, qs: [1, 3] },
  ],
  "SELECT countIf(event_message LIKE 'GET%') AS g, sumOrNullIf(1, 0) AS z, uniqExactIf(id, 1) AS u FROM result":
    [{ g: 50, z: null, u: 100 }],
  'SELECT groupArray(3)(x) AS a, groupUniqArray(1)(x % 1) AS u, argMax(x, -x) AS m FROM (SELECT arrayJoin([1, 2, 3, 4]) AS x)':
    [{ a: [1, 2, 3], u: [0], m: 1 }],
  'SELECT x FROM (SELECT arrayJoin([1, 2, 3, 4]) AS x) WHERE x BETWEEN 2 AND 3 OR x IN (4) ORDER BY x': [
    { x: 2 },
    { x: 3 },
    { x: 4 },
  ],
  'SELECT x, count() AS n FROM (SELECT arrayJoin([1, 1, 2]) AS x) GROUP BY x HAVING n > 1': [{ x: 1, n: 2 }],
  'SELECT DISTINCT x FROM (SELECT arrayJoin([1, 1, 2]) AS x) ORDER BY x': [{ x: 1 }, { x: 2 }],
  'SELECT x, y FROM (SELECT arrayJoin([(1, 1), (1, 2), (2, 3)]) AS t, t.1 AS x, t.2 AS y) ORDER BY x, y LIMIT 1 BY x':
    [
      { x: 1, y: 1 },
      { x: 2, y: 3 },
    ],
  'SELECT x FROM (SELECT arrayJoin([1, 4]) AS x) ORDER BY x WITH FILL FROM 1 TO 4': [
    { x: 1 },
    { x: 2 },
    { x: 3 },
    { x: 4 },
  ],
  'SELECT a, x FROM (SELECT 1 AS a, [7, 8] AS xs) ARRAY JOIN xs AS x': [
    { a: 1, x: 7 },
    { a: 1, x: 8 },
  ],
  'SELECT * EXCEPT (id, metadata) FROM result ORDER BY timestamp DESC LIMIT 1': [
    { timestamp: '2096-03-01T11:59:00.000000Z', event_message: 'GET /v1/item/0' },
  ],
  'SELECT COLUMNS(event_message) APPLY(x -> length(x)) FROM result ORDER BY timestamp DESC LIMIT 1': [],
  "SELECT x FROM (SELECT 1 AS x) WHERE EXISTS (SELECT 1 FROM result WHERE event_message LIKE 'GET%')": [
    { x: 1 },
  ],
  'SELECT (SELECT count() FROM result) AS n, (SELECT max(timestamp) FROM edge_source) AS t': [
    { n: 100, t: '2096-03-01T11:59:00.000000Z' },
  ],
  '(SELECT 1 AS x) UNION DISTINCT (SELECT 1)': [{ x: 1 }],
  'SELECT 1 AS x EXCEPT SELECT 2': [{ x: 1 }],
  'SELECT 1 AS x INTERSECT SELECT 1': [{ x: 1 }],
  'FROM result SELECT count() AS n': [{ n: 100 }],
  'SELECT /* a comment */ count() AS n -- and one more\nFROM result # and the last': [{ n: 100 }],
  "SELECT 'SELECT 1; DROP TABLE x -- {a:String} TABLE_FUNCTION id: 3' AS s": [
    { s: 'SELECT 1; DROP TABLE x -- {a:String} TABLE_FUNCTION id: 3' },
  ],
  'SELECT x, grouping(x) AS g, count() AS n FROM (SELECT arrayJoin([1, 1]) AS x) GROUP BY GROUPING SETS ((x), ()) ORDER BY g DESC':
    [
      { x: 0, g: 1, n: 2 },
      { x: 1, g: 0, n: 2 },
    ],
  'SELECT x, count() AS n FROM (SELECT arrayJoin([1, 1]) AS x) GROUP BY ALL ORDER BY ALL': [{ x: 1, n: 2 }],
  'WITH 3 AS three, (SELECT count() FROM result) AS n SELECT n + three AS s': [{ s: 103 }],
  'WITH x AS (SELECT 1 AS a) SELECT a FROM x UNION ALL SELECT a + 1 FROM x': [{ a: 1 }, { a: 2 }],
  "SELECT multiIf(1, 'a', 'b') AS m, coalesce(NULL, 2) AS c, nullIf(1, 1) AS n, 1 ? 'y' : 'n' AS t": [
    { m: 'a', c: 2, n: null, t: 'y' },
  ],
  "SELECT lower(hex(MD5('a'))) AS h, cityHash64('a') > 0 AS c, base64Encode('a') AS b": [
    { h: '0cc175b9c0f1b6a831c399e269772661', c: 1, b: 'YQ==' },
  ],
  'SELECT toTypeName(x) AS t FROM (SELECT 1.5::Decimal(9, 2) AS x)': [{ t: 'Decimal(9, 2)' }],
  'SELECT round(avg(length(event_message)), 0) AS a, stddevPop(1) AS s FROM result': [{ a: 15, s: 0 }],
  "SELECT if(x = 'a', 1, 2) AS y FROM (SELECT 'a' AS x) AS q": [{ y: 1 }],
  'SELECT r.event_message AS m FROM result AS r CROSS JOIN (SELECT 1 AS one) AS o ORDER BY r.timestamp DESC LIMIT 1':
    [{ m: 'GET /v1/item/0' }],
  "SELECT transform(1, [1, 2], ['a', 'b'], 'z') AS t, format('{} {}', 'x', 'y') AS f": [{ t: 'a', f: 'x y' }],
  'SELECT x FROM (SELECT arrayJoin([1, 2, 3]) AS x) QUALIFY row_number() OVER (ORDER BY x DESC) = 1': [
    { x: 3 },
  ],
  "SELECT 5 AS `result`, 'r' AS edge_source": [{ result: 5, edge_source: 'r' }],
};

describe(`${Object.keys(RESULTS).length} legitimate queries`, () => {
  it.each(Object.entries(RESULTS))('%s', async (sql, rows) => {
    const result = await sandbox.run(sql).catch(async () => ({ rows: await sandbox.rejection(sql) }));
    // ClickHouse does not define the order of the branches of a UNION.
    const sorted = (list: readonly unknown[]) => list.map((row) => JSON.stringify(row)).sort();
    if (sql.includes('UNION') && !sql.includes('ORDER BY') && Array.isArray(result.rows))
      expect(sorted(result.rows)).toEqual(sorted(rows));
    else if (rows.length > 0) expect(result.rows).toEqual(rows);
    else expect(typeof result.rows).not.toBe('string');
  });
});

describe('the row cap', () => {
  it('applies to the outer result, in its order', async () => {
    const { rows, truncated } = await sandbox.run(
      "SELECT toUInt32(substringIndex(event_message, '/', -1)) AS n FROM edge_source ORDER BY n % 7, n DESC",
    );
    const expected = Array.from({ length: ROWS }, (_, n) => n).sort((a, b) => (a % 7) - (b % 7) || b - a);
    expect([rows.length, truncated]).toEqual([100, true]);
    expect(rows.map(({ n }) => n)).toEqual(expected.slice(0, 100));
  });

  it('does not apply to the branches of a UNION', async () => {
    const { rows } = await sandbox.run(
      "(SELECT 'a' AS s, x FROM (SELECT arrayJoin([3, 1, 2]) AS x) ORDER BY x DESC LIMIT 2) UNION ALL (SELECT 'b', 1)",
    );
    // ClickHouse does not define the order of a UNION ALL, nor of the rows of one branch.
    expect(rows.map(({ s, x }) => `${String(s)}${String(x)}`).sort()).toEqual(['a2', 'a3', 'b1']);
  });

  it('returns the rows of `result` in the order of the endpoint', async () => {
    const { rows } = await sandbox.run('SELECT event_message FROM result');
    expect(rows).toEqual(
      Array.from({ length: 100 }, (_, n) => ({
        event_message: `${n % 2 === 0 ? 'GET' : 'POST'} /v1/item/${n}`,
      })),
    );
  });

  it('does not truncate a result of exactly as many rows', async () => {
    const result = await sandbox.run('SELECT id FROM result');
    expect([result.rows.length, result.truncated]).toEqual([100, false]);
  });
});

describe('an error of the caller', () => {
  it.each([
    ['SELECT nothing FROM result', '400 names an unknown column: nothing'],
    ['SELECT 1 AS x, x.nothing.at.all', '400 names an unknown column: x.nothing.at.all'],
    ['SELECT id, id FROM result', '400 returns two columns named “id”; rename one with AS'],
    ["SELECT toUInt8('x') AS x", '400 parses text that is not a valid value of the type'],
    [
      'SELECT toUInt8(event_message) AS x FROM result',
      '400 parses text that is not a valid value of the type',
    ],
    [
      "SELECT match('a', '(') AS x",
      '400 contains a regular expression, in its text or in a parameter, that RE2 cannot compile',
    ],
    [
      "SELECT CAST('(1', 'Tuple(UInt8, UInt8)') AS x",
      '400 parses text that is not a valid value of the type',
    ],
    ["SELECT toInt64('') AS x", '400 parses text that is not a valid value of the type'],
    ["SELECT toUUID('x') AS x", '400 parses text that is not a valid UUID'],
    ["SELECT toBool('x') AS x", '400 parses text that is not a valid boolean'],
    ["SELECT toIPv4('x') AS x", '400 parses text that is not a valid IP address'],
    ["SELECT toIPv6('x') AS x", '400 parses text that is not a valid IP address'],
    [
      "SELECT CAST(event_message, 'Enum8(\\'a\\' = 1)') AS x FROM result",
      '400 converts a value to an enum that does not contain it',
    ],
    ['SELECT intDiv(1, 0) AS x', '400 divides by zero'],
    ['SELEC 1', '400 is not a statement that ClickHouse can parse: see byte 1'],
    ['SELECT 1 UNION ALL SELECT 1, 2', '400 has values, or queries in a UNION, of incompatible types'],
    [
      'SELECT event_message, count() FROM result',
      '400 has a column that is neither aggregated nor in GROUP BY',
    ],
  ])('%s', async (sql, rejection) => {
    expect(await sandbox.rejection(sql)).toBe(rejection);
  });
});
