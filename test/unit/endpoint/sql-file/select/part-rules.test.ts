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
    ['[[ a = @a ]]', 'PART_WITHOUT_OPERATOR'],
    ['[[ a = @a ]] AND x', 'PART_WITHOUT_OPERATOR'],
    ['[[ AND a = @a ]]', 'PART_WITHOUT_OPERATOR'],
    ['x [[ a = @a AND ]]', 'PART_WITHOUT_OPERATOR'],
    ['x [[ AND a = @a AND ]] y', 'PART_WITHOUT_OPERATOR'],
    ['x = 1 [[ AND a = @a ]] + 3', 'PART_WITHOUT_OPERATOR'],
    ['x = [[ @a AND ]] y', 'PART_WITHOUT_OPERATOR'],
    ['NOT [[ @a AND ]] y', 'PART_WITHOUT_OPERATOR'],
    ['x BETWEEN 1 [[ AND @a ]]', 'PART_SPLITS_BETWEEN'],
    ['x BETWEEN 1 [[ AND @a ]] AND 2', 'PART_SPLITS_BETWEEN'],
    ['x BETWEEN [[ @a AND ]] 2', 'PART_SPLITS_BETWEEN'],
    ['x [[ AND a BETWEEN @a ]] AND 2', 'PART_SPLITS_BETWEEN'],
    ['x [[ AND a = @a OR b ]]', 'PART_MIXES_OPERATORS'],
    ['x ? y : z [[ AND @a ]]', 'PART_SPLITS_CHOICE'],
    ['x [[ AND @a ]] AND y ? z : 1', 'PART_SPLITS_CHOICE'],
    ['x [[ AND y ? @a : z ]]', 'PART_SPLITS_CHOICE'],
    ['f(x ? y : z [[ AND @a ]])', 'PART_SPLITS_CHOICE'],
    ['x [[ AND y ]]', 'PART_WITHOUT_PARAMETER'],
    ['x [[ AND y [[ AND @a ]] ]]', 'PART_WITHOUT_PARAMETER'],
    ['x [[ ]]', 'PART_WITHOUT_PARAMETER'],
    ['x IN [[1],[@a]]', 'ARRAY_OF_ARRAYS'],
    ['x[[1][@a]]', 'ARRAY_OF_ARRAYS'],
    ['x ORDER BY a [[, b = @b ]] DESC', 'PART_WITHOUT_COMMA'],
    ['x ORDER BY -[[ @a, ]] b', 'PART_WITHOUT_COMMA'],
    ['x ORDER BY a OR [[ @a, ]] b', 'PART_WITHOUT_COMMA'],
    ['f([[, @a ]])', 'PART_WITHOUT_COMMA'],
    ['x [[ UNION ALL SELECT @a ]] ORDER BY a', 'PART_CUTS_CLAUSE'],
    ['x [[ GROUP BY @a ]] AND y', 'PART_CUTS_CLAUSE'],
  ])('is a problem where it would change the meaning of the rest: WHERE %s', (terms, code) => {
    expect(parseSelectText(`SELECT 1 FROM t WHERE ${terms}`).problems).toEqual([
      expect.objectContaining({ code }),
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
    ['SELECT a [[, @b ]]', '@b', 'PART_COLUMN_UNNAMED'],
    ['SELECT a [[, {b:Identifier} ]]', '{b:Identifier}', 'PART_COLUMN_UNNAMED'],
    ['SELECT a [[, f(a) + @b b ]]', 'f(a) + @b b', 'PART_COLUMN_UNNAMED'],
    ['SELECT [[ @b AS b ]]', '[[ @b AS b ]]', 'PART_WITHOUT_COMMA'],
    ['SELECT a, [[ @b AS b ]] FROM t', '[[ @b AS b ]]', 'PART_WITHOUT_COMMA'],
    ['SELECT a [[ + @b AS b, c ]]', '[[ + @b AS b, c ]]', 'PART_WITHOUT_COMMA'],
    ['SELECT a [[, @b AS b, ]]', '[[, @b AS b, ]]', 'PART_WITHOUT_COMMA'],
    ['SELECT [[@a]], b', '[[@a]]', 'PART_WITHOUT_COMMA'],
    ['SELECT [[1], [2]]', '[[', 'ARRAY_OF_ARRAYS'],
    ['SELECT a [[, [[1], [@x]] AS x]]', '[[', 'ARRAY_OF_ARRAYS'],
  ])('is a problem where its columns are not clear: %s', (text, place, code) => {
    const problems = parseSelectText(text).problems.map(
      ({ start, end, code: found }) => [text.slice(start, end), found] as const,
    );
    expect(problems).toEqual([[place, code]]);
  });
});
