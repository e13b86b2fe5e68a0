import { parseSelectText } from '../../src/endpoint/sql-file/select/select-text.js';
import { useTestDatabase } from '../support/clickhouse.js';
import { combinationsOfParts } from '../support/combinations-of-parts.js';

const database = useTestDatabase();

beforeAll(async () => {
  const tables = ['t (id UInt8, g String)', 'u (id UInt8, w UInt8)'];
  for (const table of tables) {
    await database.client.command({ query: `CREATE TABLE ${table} ENGINE = MergeTree ORDER BY id` });
  }
  await database.insert(
    't',
    [1, 2, 3, 4].map((id) => ({ id, g: id % 2 === 0 ? 'even' : 'odd' })),
  );
  await database.insert(
    'u',
    [1, 2, 3].map((id) => ({ id, w: id * 10 })),
  );
});

/** The first column of the rows, with `a` = 2. */
async function rowsOf(query: string): Promise<readonly unknown[]> {
  const result = await database.client.query({ query, query_params: { a: 2 }, format: 'JSONCompactEachRow' });
  return (await result.json<readonly unknown[]>()).map(([first]) => first);
}

it.each<[string, readonly unknown[], readonly unknown[]]>([
  ['SELECT t.id FROM t JOIN u ON t.id = u.id [[ AND w > 10 * @a ]] ORDER BY 1', [1, 2, 3], [3]],
  ['SELECT t.id FROM t JOIN u ON [[ w < 10 * @a AND ]] t.id = u.id ORDER BY 1', [1, 2, 3], [1]],
  ['SELECT t.id FROM t JOIN u USING (id) [[ WHERE w > 10 * @a ]] ORDER BY 1', [1, 2, 3], [3]],
  ['SELECT id FROM t [[ WHERE id > @a ]] ORDER BY 1', [1, 2, 3, 4], [3, 4]],
  ['SELECT id FROM t [[ PREWHERE id > @a ]] ORDER BY 1', [1, 2, 3, 4], [3, 4]],
  ['SELECT id FROM t [[ JOIN u ON t.id = u.id WHERE w > 10 * @a ]] ORDER BY 1', [1, 2, 3, 4], [3]],
  ['SELECT id FROM (SELECT id FROM t [[ WHERE id > @a ]]) ORDER BY 1', [1, 2, 3, 4], [3, 4]],
  ['SELECT count() FROM t [[, (SELECT number FROM numbers(@a)) AS v ]]', [4], [8]],
  ['SELECT id FROM t ORDER BY 1 [[ LIMIT @a ]]', [1, 2, 3, 4], [1, 2]],
  ['SELECT id FROM t ORDER BY 1 LIMIT 2 [[ OFFSET @a ]]', [1, 2], [3, 4]],
  ['SELECT id FROM t [[ ORDER BY id = @a DESC, id ]] LIMIT 1', [1], [2]],
  ['SELECT id FROM t ORDER BY id = 3 [[ OR id = @a ]] DESC, id', [3, 1, 2, 4], [2, 3, 1, 4]],
  ['SELECT id FROM t ORDER BY id LIMIT 1 BY g [[, id > @a ]]', [1, 2], [1, 2, 3, 4]],
  ['SELECT g, sum(id) AS s FROM t GROUP BY g [[ HAVING s > 2 * @a ]] ORDER BY 1', ['even', 'odd'], ['even']],
  [
    'SELECT id, row_number() OVER (ORDER BY id) AS r FROM t QUALIFY r < 4 [[ AND r > @a ]] ORDER BY 1',
    [1, 2, 3],
    [3],
  ],
  [
    'SELECT id, row_number() OVER (ORDER BY id) AS r FROM t [[ QUALIFY r > @a ]] ORDER BY 1',
    [1, 2, 3, 4],
    [3, 4],
  ],
  ['SELECT sum(id) OVER (PARTITION BY g [[, id > @a ]]) FROM t ORDER BY id', [4, 6, 4, 6], [1, 2, 3, 4]],
  ['SELECT id FROM t WHERE id IN (1 [[, @a ]]) ORDER BY 1', [1], [1, 2]],
  ['SELECT id FROM t WHERE id IN [1 [[, @a ]]] ORDER BY 1', [1], [1, 2]],
  ['SELECT id FROM t WHERE has([ [[ @a, ]] 1], id) ORDER BY 1', [1], [1, 2]],
  ['SELECT concat(g [[, toString(@a) ]]) FROM t ORDER BY id LIMIT 1', ['odd'], ['odd2']],
  ['SELECT countIf(id > 1 [[ AND id <= @a ]]) FROM t', [3], [1]],
  ['SELECT count() FILTER (WHERE id > 1 [[ AND id <= @a ]]) FROM t', [3], [1]],
  [
    'SELECT CASE WHEN id > 1 [[ AND id <= @a ]] THEN 1 ELSE 0 END FROM t ORDER BY id',
    [0, 1, 1, 1],
    [0, 1, 0, 0],
  ],
  ['SELECT id > 1 [[ AND id <= @a ]] AS n FROM t ORDER BY id', [0, 1, 1, 1], [0, 1, 0, 0]],
  ['SELECT arrayFilter(i -> i > 1 [[ AND i <= @a ]], [1, 2, 3])', [[2, 3]], [[2]]],
  ['SELECT id FROM t WHERE id [[ BETWEEN @a AND 3 ]] ORDER BY 1', [1, 2, 3, 4], [2, 3]],
  ['SELECT id FROM t WHERE id BETWEEN 1 AND [[ @a + ]] 1 ORDER BY 1', [1], [1, 2, 3]],
  ['SELECT id FROM t [[ EXCEPT SELECT @a ]]', [1, 2, 3, 4], [1, 3, 4]],
  ['SELECT 1 UNION ALL [[ SELECT @a UNION ALL ]] SELECT 3', [1, 3], [1, 2, 3]],
  [
    'SELECT count() FROM t GROUP BY GROUPING SETS ((g) [[, (g, id + @a) ]]) ORDER BY 1',
    [2, 2],
    [1, 1, 1, 1, 2, 2],
  ],
  ['WITH 1 AS one [[, one + @a AS two ]] SELECT one', [1], [1]],
])(
  'a query with and without its optional part returns the right rows: %s',
  async (text, without, withPart) => {
    const { pieces, problems } = parseSelectText(text);
    const [absent = '', present = ''] = combinationsOfParts(pieces, 'UInt8');
    expect(problems).toEqual([]);
    const rows = [await rowsOf(absent), await rowsOf(present)];
    // ClickHouse returns the parts of a UNION ALL in any order.
    expect(text.includes('UNION ALL') ? rows.map((each) => each.toSorted()) : rows).toEqual([
      ...[without, withPart],
    ]);
  },
);
