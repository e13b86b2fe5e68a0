import { parseSelectText, type Piece } from '../../../../../src/endpoint/sql-file/select/select-text.js';

/** The parts of a SELECT, those within parts after the part around them. */
function partsOf(
  text: string,
  pieces: readonly Piece[] = parseSelectText(text).pieces,
): Extract<Piece, { kind: 'optional' }>[] {
  return pieces.flatMap((piece) =>
    piece.kind === 'optional' ? [piece, ...partsOf(text, piece.pieces)] : [],
  );
}

const TERM = 'An optional term must have its AND or OR';
const ITEM = 'Optional items must have their comma';
const CLAUSE = 'What follows the optional part would belong to its last clause or query';
const NO_PARAMETER = 'The optional part has no parameter of its own';
const CHOICE = 'AND and OR bind closer than ? :';
const BETWEEN = 'A BETWEEN and its AND must be in the same optional part';
const ARRAYS = '[[ begins an optional part. Write an array of arrays with a space, as in [ [1], [2] ].';

describe('an optional part', () => {
  it.each([
    '[[ a = @a OR ]] [[ b = @b AND ]] x [[ AND c = @c ]] [[ OR d = @d ]]',
    '([[ a = @a AND ]] (x [[ OR b = @b ]]))',
    '[[ a = @a AND ]] NOT -x < 0',
    'x NOT BETWEEN 1 AND 2 [[ AND a BETWEEN @a AND @b ]] AND y',
    'x [[ AND a BETWEEN @a AND @b AND c ]]',
    'x BETWEEN CASE WHEN y AND z THEN 1 END AND 2 [[ AND a = @a ]]',
    'x [[ AND CASE WHEN x OR y THEN @a ELSE 0 END ]]',
    'CASE WHEN end AND end > 1 THEN 1 END [[ AND a = @a ]]',
    'and(x, y) [[ AND a = @a ]]',
    '(x ? y : z) [[ AND (a ? @a : b) ]]',
    'x [[ AND 1 = a[b[@a]]]]',
    'x [[ AND a IN [ [1], [@a]]]]',
    'x NOT IN (1, 2) [[ AND a GLOBAL NOT IN {a:Array(UInt8)} ]]',
    'limit [[ AND a = @a ]] AND left(x, 1)',
    'x [[ AND a = @a [[ AND b = @b ]]]]',
  ])('may be whatever leaves the meaning of the rest: WHERE %s', (terms) => {
    expect(parseSelectText(`SELECT 1 FROM t WHERE ${terms}`).problems).toEqual([]);
  });

  it.each([
    ['[[ a = @a ]]', TERM],
    ['[[ a = @a ]] AND x', TERM],
    ['[[ AND a = @a ]]', TERM],
    ['x [[ a = @a AND ]]', TERM],
    ['x [[ AND a = @a AND ]] y', TERM],
    ['x = 1 [[ AND a = @a ]] + 3', TERM],
    ['x = [[ @a AND ]] y', TERM],
    ['NOT [[ @a AND ]] y', TERM],
    ['x BETWEEN 1 [[ AND @a ]]', BETWEEN],
    ['x BETWEEN 1 [[ AND @a ]] AND 2', BETWEEN],
    ['x BETWEEN [[ @a AND ]] 2', BETWEEN],
    ['x [[ AND a BETWEEN @a ]] AND 2', BETWEEN],
    ['x [[ AND a = @a OR b ]]', 'AND binds closer than OR here'],
    ['x ? y : z [[ AND @a ]]', CHOICE],
    ['x [[ AND @a ]] AND y ? z : 1', CHOICE],
    ['x [[ AND y ? @a : z ]]', CHOICE],
    ['f(x ? y : z [[ AND @a ]])', CHOICE],
    ['x [[ AND y ]]', NO_PARAMETER],
    ['x [[ AND y [[ AND @a ]] ]]', NO_PARAMETER],
    ['x [[ ]]', NO_PARAMETER],
    ['x IN [[1],[@a]]', ARRAYS],
    ['x[[1][@a]]', ARRAYS],
    ['x ORDER BY a [[, b = @b ]] DESC', ITEM],
    ['x ORDER BY -[[ @a, ]] b', ITEM],
    ['x ORDER BY a OR [[ @a, ]] b', ITEM],
    ['f([[, @a ]])', ITEM],
    ['x [[ UNION ALL SELECT @a ]] ORDER BY a', CLAUSE],
    ['x [[ GROUP BY @a ]] AND y', CLAUSE],
  ])('is a problem where it would change the meaning of the rest: WHERE %s', (terms, problem) => {
    expect(parseSelectText(`SELECT 1 FROM t WHERE ${terms}`).problems).toEqual([
      expect.objectContaining({ problem: expect.stringContaining(problem) as string }),
    ]);
  });

  it.each([
    ['x [[ AND a[b[@a]] ]] AND c', ['[[ AND a[b[@a]] ]]']],
    ['x [[ AND a = @a [[ AND b = @b ]]]]', ['[[ AND a = @a [[ AND b = @b ]]]]', '[[ AND b = @b ]]']],
    ['x[y[1]] [[ AND @a ]]', ['[[ AND @a ]]']],
    ["x = ']]' [[ AND ']]' = @a /* ]] */ ]]", ["[[ AND ']]' = @a /* ]] */ ]]"]],
  ])('ends at its own ]]: %s', (terms, parts) => {
    const text = `SELECT 1 FROM t WHERE ${terms}`;
    expect(partsOf(text).map(({ start, end }) => text.slice(start, end))).toEqual(parts);
  });
});

describe('an optional part in the outermost SELECT list', () => {
  it.each([
    ['SELECT a [[, @b AS b, t.c, "d""e", `f\\`g` ]] FROM t', [['b', 'c', 'd"e', 'f`g']]],
    ['SELECT [[ a, if(@b, 1, 2) AS `b c`, ]] d', [['a', 'b c']]],
    ['SELECT DISTINCT [[ @a AS a, [[ @b AS b, ]] ]] c', [['a'], ['b']]],
    ['SELECT a ? b : limit [[, @b AS from ]] FROM t', [['from']]],
    ['WITH 1 AS x SELECT x [[, @b AS b ]]', [['b']]],
    ['SELECT a [[, @b AS b ]] UNION ALL SELECT a [[, @b AS c ]]', [['b'], []]],
    ['SELECT a > 1 [[ AND @b ]] AS a, f(a [[, @b ]]) AS b', [[], []]],
    ['SELECT a FROM (SELECT a [[, @b AS b ]])', [[]]],
    ['SELECT a [[ UNION ALL SELECT @b ]]', [[]]],
  ])('adds the columns of its items: %s', (text, columns) => {
    expect(parseSelectText(text).problems).toEqual([]);
    expect(partsOf(text).map((part) => part.columns)).toEqual(columns);
  });

  it.each([
    ['SELECT a [[, @b ]]', '@b', 'An optional column needs a name'],
    ['SELECT a [[, {b:Identifier} ]]', '{b:Identifier}', 'An optional column needs a name'],
    ['SELECT a [[, f(a) + @b b ]]', 'f(a) + @b b', 'An optional column needs a name'],
    ['SELECT [[ @b AS b ]]', '[[ @b AS b ]]', ITEM],
    ['SELECT a, [[ @b AS b ]] FROM t', '[[ @b AS b ]]', ITEM],
    ['SELECT a [[ + @b AS b, c ]]', '[[ + @b AS b, c ]]', ITEM],
    ['SELECT a [[, @b AS b, ]]', '[[, @b AS b, ]]', ITEM],
    ['SELECT [[@a]], b', '[[@a]]', 'write [ [1], [2] ]'],
    ['SELECT [[1], [2]]', '[[', ARRAYS],
    ['SELECT a [[, [[1], [@x]] AS x]]', '[[', ARRAYS],
  ])('is a problem where its columns are not clear: %s', (text, place, problem) => {
    const problems = parseSelectText(text).problems.map(
      ({ start, end, problem: found }) => [text.slice(start, end), found] as const,
    );
    expect(problems).toEqual([[place, expect.stringContaining(problem) as string]]);
  });
});
