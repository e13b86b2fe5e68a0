import { parseSelectText, type Piece } from '../../../../../src/endpoint/sql-file/select/select-text.js';

function columnsOf(pieces: readonly Piece[]): (readonly string[])[] {
  return pieces.flatMap((piece) =>
    piece.kind === 'optional' ? [piece.columns, ...columnsOf(piece.pieces)] : [],
  );
}

describe('the columns of an optional part', () => {
  it.each([
    ['SELECT a [[, @b AS b ]]', [['b']]],
    ['SELECT a [[, @b AS b, t.c, "d""e", `f\\`g` ]] FROM t', [['b', 'c', 'd"e', 'f`g']]],
    ['SELECT [[ a, if(@b, 1, 2) AS `b c`, ]] d', [['a', 'b c']]],
    ['SELECT [[ @a AS a, [[ @b AS b, ]] ]] c', [['a'], ['b']]],
    ['SELECT a [[, @b AS from ]] FROM t', [['from']]],
    ['WITH 1 AS x SELECT x [[, @b AS b ]]', [['b']]],
    ['SELECT a [[, @b AS b ]] UNION ALL SELECT a [[, @b AS c ]]', [['b'], []]],
    ['SELECT a FROM (SELECT a [[, @b AS b ]])', [[]]],
    ['WITH x AS (SELECT a [[, @b AS b ]]) SELECT a FROM x', [[]]],
    ['SELECT (SELECT a WHERE x [[ AND @b ]]) FROM t GROUP BY a [[, @c ]]', [[], []]],
    ['SELECT a [[ UNION ALL SELECT @b ]]', [[]]],
  ])('are the names of its items in the outermost SELECT: %s', (text, columns) => {
    const { pieces, problems } = parseSelectText(text);
    expect(problems).toEqual([]);
    expect(columnsOf(pieces)).toEqual(columns);
  });

  it.each(['@b', '{b:Identifier}', 'a + @b', 'f(@b)', '@b b', '[@b]'])('need a name: %s', (item) => {
    const start = 'SELECT a [[, '.length;
    expect(parseSelectText(`SELECT a [[, ${item} ]]`).problems).toEqual([
      {
        start,
        end: start + item.length,
        problem: 'An optional column needs a name. Write one after it with AS, as in [[, @a AS a]].',
      },
    ]);
  });
});
