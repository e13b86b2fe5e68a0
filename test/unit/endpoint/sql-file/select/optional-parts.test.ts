import { parseSelectText, type Piece } from '../../../../../src/endpoint/sql-file/select/select-text.js';

const TERM = 'a term with its AND or OR';
const ITEM = 'items with their comma';
const NOWHERE = 'No optional part can stand here';
const NO_PARAMETER = 'The optional part has no parameter of its own';
const CHOICE = 'AND and OR bind closer than ? : and ->';
const ARRAYS = '[[ begins an optional part. Write an array of arrays with a space, as in [ [1], [2] ].';

/** The texts of the parts of a SELECT, those within parts after the part around them. */
function partsOf(text: string, pieces: readonly Piece[] = parseSelectText(text).pieces): string[] {
  return pieces.flatMap((piece) =>
    piece.kind === 'optional' ? [text.slice(piece.start, piece.end), ...partsOf(text, piece.pieces)] : [],
  );
}

describe('an optional part', () => {
  it.each([
    'x [[ AND a = @a ]]',
    '[[ a = @a AND ]] x',
    '[[ a = @a OR ]] [[ b = @b AND ]] x [[ AND c = @c ]] [[ OR d = @d ]]',
    'x [[ AND a = @a ]] AND y',
    'x [[ AND a = @a AND b < 3 ]]',
    '(x [[ AND a = @a ]]) OR (y [[ OR b = @b ]])',
    'NOT (x [[ AND a = @a ]])',
    '([[ a = @a AND ]] (x [[ OR b = @b ]]))',
    '[[ a = @a AND ]] NOT x',
    '[[ a = @a AND ]] -x < 0',
    'x BETWEEN 1 AND 2 [[ AND a = @a ]]',
    'x NOT BETWEEN 1 AND 2 [[ AND a BETWEEN @a AND @b ]] AND y',
    'x [[ AND a BETWEEN @a AND @b AND c ]]',
    'CASE WHEN x AND y THEN 1 ELSE 0 END [[ AND a = @a ]]',
    'x [[ AND CASE WHEN x AND y THEN @a ELSE 0 END ]]',
    'CASE WHEN end AND end > 1 THEN 1 END [[ AND a = @a ]]',
    'x [[ AND and(y, or(z, @a)) ]]',
    'and(x, y) [[ AND a = @a ]]',
    'arrayExists(i -> i = 1 AND i > 2, x) [[ AND a = @a ]]',
    '(x ? y : z) [[ AND (a ? @a : b) ]]',
    'x[y[1]] [[ AND a = @a ]]',
    'x [[ AND a[b[@a]] = 1 ]]',
    'x [[ AND 1 = a[b[@a]]]]',
    'x [[ AND a IN [ [1], [@a]]]]',
    "m = {'a': 1} [[ AND {'a': @a} = m ]]",
    'd > now() - INTERVAL 1 DAY [[ AND d < now() - INTERVAL @a DAY ]]',
    'x IS NOT NULL [[ AND a IS NOT DISTINCT FROM @a ]]',
    'x NOT IN (1, 2) [[ AND a NOT IN {a:Array(UInt8)} ]]',
    'x GLOBAL NOT IN (SELECT 1) [[ AND a GLOBAL IN (SELECT @a) ]]',
    'x NOT LIKE 1 [[ AND a ILIKE @a ]]',
    "x::String = 'a' [[ AND DATE '2026-01-01' = a::Date AND t.1 = @a ]]",
    'EXISTS (SELECT 1 FROM u WHERE x [[ AND a = @a ]]) [[ AND b = @b ]]',
    'x IN (SELECT y FROM u WHERE z [[ AND a = @a ]])',
    '(x, y) = (1, 2) [[ AND a = @a ]]',
    'x [[ AND a = @a [[ AND b = @b ]]]]',
    'x [[ AND (a = @a [[ OR b = @b ]]) ]]',
  ])('may be a term of WHERE, PREWHERE or HAVING: %s', (terms) => {
    for (const clause of ['WHERE', 'PREWHERE', 'HAVING'])
      expect(parseSelectText(`SELECT 1 FROM t ${clause} ${terms}`).problems).toEqual([]);
  });

  it.each([
    ['an item of SELECT', 'SELECT a [[, @b AS b ]]'],
    ['the first item of SELECT', 'SELECT [[ @b AS b, ]] a FROM t'],
    ['an item after DISTINCT', 'SELECT DISTINCT [[ @b AS b, ]] a'],
    ['items between items', 'SELECT a [[, @b AS b, c ]], d [[, @e AS e]], [[ @f AS f, ]] g FROM t'],
    ['an item after a choice', 'SELECT a ? b : c [[, @d AS d ]] FROM t'],
    ['an item after an asterisk', 'SELECT t.* EXCEPT (a) [[, @d AS d ]] FROM t'],
    ['an item with brackets', 'SELECT a [[, [ [1], [@x]] AS x]]'],
    ['an item of GROUP BY', 'SELECT a FROM t GROUP BY [[ b = @b, ]] a [[, c = @c ]]'],
    ['an item before WITH ROLLUP', 'SELECT 1 FROM t GROUP BY a [[, @b ]] WITH ROLLUP HAVING c [[ AND @d ]]'],
    [
      'an item of ORDER BY',
      "SELECT a FROM t ORDER BY a DESC [[, {b:Identifier} DESC NULLS LAST COLLATE 'en' ]] LIMIT 1",
    ],
    [
      'an item after WITH FILL',
      'SELECT a FROM t ORDER BY [[ @b, ]] a WITH FILL FROM 1 TO 9 STEP 2 [[, @c ]]',
    ],
    ['a JOIN', 'SELECT a FROM t [[ LEFT JOIN u ON u.id = t.id AND u.a = @a ]] WHERE b'],
    [
      'a JOIN of a subquery',
      'SELECT a FROM t AS q [[ GLOBAL ANY LEFT JOIN (SELECT @a AS id) AS u USING (id) ]] JOIN v ON 1',
    ],
    ['a JOIN without a condition', 'SELECT a FROM t, u [[ CROSS JOIN (SELECT @x AS x) AS v ]]'],
    [
      'a JOIN after FINAL and SAMPLE',
      'SELECT a FROM t FINAL SAMPLE 1/10 OFFSET 1/2 [[ ASOF JOIN u ON u.a >= @a ]]',
    ],
    ['an ARRAY JOIN', 'SELECT a FROM t [[ LEFT ARRAY JOIN arrayFilter(i -> i > @i, a) AS z ]] ORDER BY a'],
    [
      'a last UNION arm',
      'SELECT 1 FROM t WHERE x [[ UNION ALL SELECT @a ]] [[ UNION DISTINCT (SELECT @b) ]];',
    ],
    ['a UNION arm between arms', 'SELECT 1 UNION ALL SELECT 2 [[ UNION ALL SELECT @a ]] UNION ALL SELECT 3'],
    [
      'a part of a subquery in FROM',
      'SELECT 1 FROM (SELECT a [[, @b AS b ]] FROM t [[ JOIN u ON u.x = @x ]]) WHERE 1',
    ],
    ['a part of a WITH query', 'WITH a AS (SELECT 1 FROM t WHERE x [[ AND b = @b ]]) SELECT * FROM a'],
    [
      'a part of a query that begins with FROM',
      'WITH 1 AS x FROM t SELECT a [[, @b AS b ]] WHERE x [[ AND @c ]]',
    ],
    [
      'a term before WINDOW',
      'SELECT sum(x) OVER w FROM t WHERE y [[ AND @a ]] WINDOW w AS (ORDER BY b ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)',
    ],
    [
      'a term after a window frame',
      'SELECT sum(x) OVER (ORDER BY b ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) [[, @b AS b ]] FROM t WHERE y [[ AND @a ]]',
    ],
    ['a term in a later UNION arm', 'SELECT 1 UNION ALL SELECT 2 FROM t WHERE x [[ AND a = @a ]]'],
  ])('may be %s', (_, text) => {
    expect(parseSelectText(text).problems).toEqual([]);
    expect(partsOf(text)).not.toEqual([]);
  });

  it.each([
    ['x [[ a = @a ]]', TERM],
    ['[[ a = @a ]]', TERM],
    ['[[ AND a = @a ]]', TERM],
    ['x [[ a = @a AND ]]', TERM],
    ['x [[ AND a = @a AND ]] y', TERM],
    ['x [[ , a = @a ]]', TERM],
    ['x = 1 [[ AND a = @a ]] + 3', TERM],
    ['x = [[ @a AND ]] y', TERM],
    ['NOT [[ @a AND ]] y', TERM],
    ['x BETWEEN 1 [[ AND @a ]]', TERM],
    ['x BETWEEN 1 [[ AND @a ]] AND 2', TERM],
    ['x BETWEEN [[ @a AND ]] 2', TERM],
    ['x [[ BETWEEN @a AND ]] 2', TERM],
    ['x [[ BETWEEN @a AND @b ]]', TERM],
    ['x [[ AND a BETWEEN @a ]] AND 2', TERM],
    ['CASE WHEN x [[ AND @a ]] THEN 1 END', TERM],
    ['x [[ AND CASE WHEN @a THEN 1 ]]', TERM],
    ['x [[ AND @a GROUP BY b ]]', TERM],
    ['x [[ AND @a UNION ALL SELECT 1 ]]', TERM],
    ['x [[ AND a = @a OR b ]]', 'AND binds closer than OR here'],
    ['x ? y : z [[ AND @a ]]', CHOICE],
    ['x [[ AND @a ]] AND y ? z : 1', CHOICE],
    ['x [[ AND y ? @a : z ]]', CHOICE],
    ['and(x [[ AND @a ]])', NOWHERE],
    ['and(x [[, @a ]])', NOWHERE],
    ['x IN (1 [[, @a ]])', NOWHERE],
    ['(x, y [[ AND @a ]])', NOWHERE],
    ['x[y [[ AND @a ]]]', NOWHERE],
    ['x [[ AND y ]]', NO_PARAMETER],
    ['x [[ AND y [[ AND @a ]] ]]', NO_PARAMETER],
    ['x [[ ]]', NO_PARAMETER],
    ['x IN [[1],[@a]]', ARRAYS],
    ['x[[1][@a]]', ARRAYS],
  ])('is a problem in WHERE %s', (terms, problem) => {
    expect(parseSelectText(`SELECT 1 FROM t WHERE ${terms}`).problems).toEqual([
      expect.objectContaining({ problem: expect.stringContaining(problem) as string }),
    ]);
  });

  it.each([
    ['SELECT a [[ b = @b ]]', ITEM],
    ['SELECT [[ @b AS b ]]', ITEM],
    ['SELECT [[, @b AS b ]] a', ITEM],
    ['SELECT a [[, @b AS b, ]]', ITEM],
    ['SELECT a [[,, @b AS b ]]', ITEM],
    ['SELECT a, [[ @b AS b ]] FROM t', ITEM],
    ['SELECT a [[ AS @b ]]', ITEM],
    ['SELECT a [[, @b AS b FROM t ]]', ITEM],
    ['SELECT [[@a]]', 'write [ [1], [2] ]'],
    ['SELECT 1 FROM t GROUP BY a [[, @b WITH ROLLUP ]]', ITEM],
    ['SELECT 1 FROM t GROUP BY a WITH ROLLUP [[, @b ]]', NOWHERE],
    ['SELECT 1 FROM t GROUP BY GROUPING SETS ((a) [[, (@b) ]])', NOWHERE],
    ['SELECT a FROM t [[ WHERE @a ]]', 'write WHERE true [[ AND … ]]'],
    ['SELECT a FROM t [[, (SELECT @a) ]]', 'a whole JOIN'],
    ['SELECT a FROM t [[ LEFT JOIN (SELECT @a) AS u ]]', 'a whole JOIN'],
    ['SELECT a FROM t [[ JOIN u ON u.a = @a ]] AND b', 'a whole JOIN'],
    ['SELECT a FROM t [[ JOIN u ON u.a = @a WHERE b ]]', 'a whole JOIN'],
    ['SELECT a FROM t JOIN u ON a [[ AND b = @b ]]', 'a whole JOIN'],
    ['SELECT a FROM [[ t JOIN (SELECT @a) AS b ON 1 JOIN ]] u ON 1', 'a whole JOIN'],
    ['SELECT a FROM t [[ ORDER BY @a ]]', 'a whole JOIN'],
    ['SELECT a FROM t [[ UNION SELECT @a ]]', 'a last UNION ALL'],
    ['SELECT a FROM t [[ EXCEPT SELECT @a ]]', 'a last UNION ALL'],
    ['SELECT a FROM t [[ UNION ALL SELECT @a ]] WHERE b', 'a last UNION ALL'],
    ['SELECT a UNION ALL [[ SELECT @a UNION ALL ]] SELECT b', NOWHERE],
    ['[[ SELECT @a ]]', NOWHERE],
    ['[[ WITH @a AS x ]] SELECT x', NOWHERE],
    ['WITH 1 AS y [[, @a AS x ]] SELECT y', NOWHERE],
    ['SELECT f(a [[, @b ]])', NOWHERE],
    ['SELECT [a [[, @b ]]]', NOWHERE],
    ['SELECT * EXCEPT (a [[, @b ]]) FROM t', NOWHERE],
    ['SELECT sum(a) OVER (PARTITION BY a [[, @b ]]) FROM t', NOWHERE],
    ['SELECT a FROM t QUALIFY x [[ AND @b ]]', NOWHERE],
    ['SELECT a FROM t LIMIT [[ @b ]]', NOWHERE],
    ['SELECT a FROM t LIMIT 1 BY a [[, @b ]]', NOWHERE],
    ['SELECT [[1], [2]]', ARRAYS],
    ['SELECT f([[1, 2], [3, 4]])', ARRAYS],
    ['SELECT a [[, [[1], [@x]] AS x]]', ARRAYS],
  ])('is the one problem of %s', (text, problem) => {
    expect(parseSelectText(text).problems).toEqual([
      expect.objectContaining({ problem: expect.stringContaining(problem) as string }),
    ]);
  });

  it('is reported with its place, also within another', () => {
    const text = 'SELECT 1 FROM t WHERE x [[ AND a = @a [[ b = @b ]] ]]';
    const places = parseSelectText(text).problems.map(({ start, end }) => text.slice(start, end));
    expect(places).toEqual(['[[ b = @b ]]']);
  });

  it.each([
    ['x [[ AND a[b[@a]] ]] AND c', ['[[ AND a[b[@a]] ]]']],
    ['x [[ AND a[b[@a]]]]', ['[[ AND a[b[@a]]]]']],
    ['x [[ AND a = @a [[ AND b = @b ]]]]', ['[[ AND a = @a [[ AND b = @b ]]]]', '[[ AND b = @b ]]']],
    ['x[y[1]] [[ AND @a ]]', ['[[ AND @a ]]']],
    ["x = ']]' [[ AND ']]' = @a /* ]] */ ]]", ["[[ AND ']]' = @a /* ]] */ ]]"]],
  ])('ends at its own ]]: %s', (terms, parts) => {
    expect(partsOf(`SELECT 1 FROM t WHERE ${terms}`)).toEqual(parts);
  });
});
