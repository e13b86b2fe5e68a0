import { parseSelectText, type Piece } from '../../../../../src/endpoint/sql-file/select/select-text.js';

/** Each problem as the text that it points at, and its code. */
function problemsOf(text: string): [place: string, code: string][] {
  return parseSelectText(text).problems.map(({ start, end, code }) => [text.slice(start, end), code]);
}

/** Each piece in brief: text, `@name` or `{name:Type}`, and a list for a part. */
function brief(pieces: readonly Piece[]): unknown[] {
  return pieces.map((piece) => {
    if (piece.kind === 'text') return piece.text;
    if (piece.kind === 'optional') return brief(piece.pieces);
    return piece.type === undefined ? `@${piece.name}` : `{${piece.name}:${piece.type}}`;
  });
}

describe('the pieces of a SELECT', () => {
  it.each([
    ['SELECT @a', ['SELECT ', '@a']],
    ['SELECT @a_1+@b, @@c', ['SELECT ', '@a_1', '+', '@b', ', @@c']],
    ['SELECT {a:UInt8}::Date', ['SELECT ', '{a:UInt8}', '::Date']],
    [
      "SELECT { a : Map(String, DateTime64(3, 'UTC')) }",
      ['SELECT ', "{a:Map(String, DateTime64(3, 'UTC'))}"],
    ],
    ["SELECT {'a': 1}", ["SELECT {'a': 1}"]],
    ["SELECT {'a': @a, 'b': {b:Int8}}", ["SELECT {'a': ", '@a', ", 'b': ", '{b:Int8}', '}']],
    ["SELECT '@a {a:Int8} [[' , x'40'", ["SELECT '@a {a:Int8} [[' , x'40'"]],
    ['SELECT `@a` "{b:Int8}" “[[”', ['SELECT `@a` "{b:Int8}" “[[”']],
    ['SELECT 1 /* @a /* [[ */ {b:Int8} */ -- @c\n# @d', ['SELECT 1 /* @a /* [[ */ {b:Int8} */ -- @c\n# @d']],
    ['SELECT $t$ @a [[ $t$, @b', ['SELECT $t$ @a [[ $t$, ', '@b']],
    ['SELECT a[[, @b AS b]]FROM t', ['SELECT a', ' ', [', ', '@b', ' AS b', ' '], 'FROM t']],
    ['SELECT x[y[1]]', ['SELECT x[y[1]]']],
    ['SELECT 1;', ['SELECT 1']],
    ['SELECT @a ; -- c\n/* d */ ', ['SELECT ', '@a', ' ']],
    ['SELECT 1 -- ;', ['SELECT 1 -- ;']],
    [' \n/* a */ SELECT 1', [' \n/* a */ SELECT 1']],
    ['SELECT 1 [[ UNION ALL SELECT @a ]];', ['SELECT 1 ', ' ', [' UNION ALL SELECT ', '@a', ' ', ' ']]],
  ])('of %s are its placeholders, its parts, and the text between', (text, pieces) => {
    expect(problemsOf(text)).toEqual([]);
    expect(brief(parseSelectText(text).pieces)).toEqual(pieces);
  });

  it('have their places in the text', () => {
    const text = 'SELECT a [[, {b: UInt8 } AS b]]';
    const [, , part] = parseSelectText(text).pieces;
    expect(part).toMatchObject({ kind: 'optional', start: 9, end: text.length, columns: ['b'] });
    expect(part).toHaveProperty('pieces.1', {
      kind: 'parameter',
      name: 'b',
      type: 'UInt8',
      start: 13,
      end: 24,
    });
  });
});

describe('the problems of a SELECT', () => {
  it.each([
    ['', '', 'QUERY_MISSING'],
    [' -- a', ' -- a', 'QUERY_MISSING'],
    [';', ';', 'QUERY_MISSING'],
    ['INSERT INTO t VALUES (1)', 'INSERT', 'QUERY_NOT_SELECT'],
    ['EXPLAIN SELECT 1', 'EXPLAIN', 'QUERY_NOT_SELECT'],
    ['FROM t SELECT a', 'FROM', 'QUERY_NOT_SELECT'],
    ['(SELECT 1)', '(', 'QUERY_NOT_SELECT'],
    ['@a', '@a', 'QUERY_NOT_SELECT'],
    ['SELECT 1; SELECT 2', 'SELECT', 'SECOND_STATEMENT'],
    ['SELECT 1;;', ';', 'SECOND_STATEMENT'],
    ['SELECT 1 FORMAT JSON', 'FORMAT', 'SYNTAX_NOT_ALLOWED'],
    ['SELECT format FROM t ORDER BY format FORMAT JSON;', 'FORMAT', 'SYNTAX_NOT_ALLOWED'],
    ['SELECT 1 FROM (SELECT 1 FORMAT JSON)', 'FORMAT', 'SYNTAX_NOT_ALLOWED'],
    ['SELECT 1 settings max_threads = 1', 'settings', 'SYNTAX_NOT_ALLOWED'],
    ['SELECT 1 FROM t SETTINGS `max_threads` = 1, a = 2', 'SETTINGS', 'SYNTAX_NOT_ALLOWED'],
    ['SELECT 1 FROM t WHERE a LIMIT 1 SETTINGS a = 1', 'SETTINGS', 'SYNTAX_NOT_ALLOWED'],
    ['WITH a AS (SELECT 1 SETTINGS a = 1) SELECT * FROM a', 'SETTINGS', 'SYNTAX_NOT_ALLOWED'],
    ['SELECT 1 WHERE x IN (SELECT 1 SETTINGS a = 1)', 'SETTINGS', 'SYNTAX_NOT_ALLOWED'],
    ['SELECT 1 UNION ALL SELECT 2 SETTINGS a = 1', 'SETTINGS', 'SYNTAX_NOT_ALLOWED'],
    ['SELECT 1 [[ UNION ALL SELECT @a SETTINGS a = 1 ]]', 'SETTINGS', 'SYNTAX_NOT_ALLOWED'],
    ['SELECT * FROM url(1, SETTINGS a = 1)', 'SETTINGS', 'SYNTAX_NOT_ALLOWED'],
    ["SELECT 1 INTO OUTFILE 'a'", 'INTO', 'SYNTAX_NOT_ALLOWED'],
    ['SELECT 1 PARALLEL WITH SELECT 2', 'PARALLEL', 'SYNTAX_NOT_ALLOWED'],
    ['SELECT a FROM t GROUP BY a WITH TOTALS', 'WITH', 'SYNTAX_NOT_ALLOWED'],
    ['SELECT a FROM t GROUP BY a [[, @b ]] WITH TOTALS ORDER BY a', 'WITH', 'SYNTAX_NOT_ALLOWED'],
    ['SELECT 1\\G', '\\G', 'SYNTAX_NOT_ALLOWED'],
    ['SELECT (1', '(', 'NOT_CLOSED'],
    ['SELECT 1)', ')', 'CLOSES_NOTHING'],
    ['SELECT [1', '[', 'NOT_CLOSED'],
    ['SELECT 1]', ']', 'CLOSES_NOTHING'],
    ["SELECT {'a': 1", '{', 'NOT_CLOSED'],
    ['SELECT {a:String', '{', 'NOT_CLOSED'],
    ['SELECT 1}', '}', 'CLOSES_NOTHING'],
    ['SELECT ([1)', '[', 'NOT_CLOSED'],
    ['SELECT a [[, @b AS b', '[[', 'NOT_CLOSED'],
    ['SELECT a, @b AS b ]]', ']]', 'CLOSES_NOTHING'],
    ["SELECT 'a FORMAT", "'", 'NOT_CLOSED'],
    ['SELECT `a', '`', 'NOT_CLOSED'],
    ['SELECT "a (', '"', 'NOT_CLOSED'],
    ['SELECT ‘a', '‘', 'NOT_CLOSED'],
    ['SELECT 1 /* a', '/*', 'NOT_CLOSED'],
    ["SELECT x'0g'", "x'", 'LITERAL_INVALID'],
    ['SELECT 1 ~ 2', '~', 'TOKEN_INVALID'],
    ['SELECT 😀', '😀', 'TOKEN_INVALID'],
    ['SELECT {a}', '{a', 'PLACEHOLDER_TYPE_MISSING'],
    ['SELECT {a:}', '{a:}', 'PLACEHOLDER_TYPE_MISSING'],
    ['SELECT {:String}', '{:', 'PLACEHOLDER_NAME_MISSING'],
    ['SELECT @', '@', 'PLACEHOLDER_NAME_MISSING'],
    ['SELECT @ a', '@', 'PLACEHOLDER_NAME_MISSING'],
    ['SELECT @A', '@A', 'PLACEHOLDER_NAME_INVALID'],
    ['SELECT @_a', '@_a', 'PLACEHOLDER_NAME_INVALID'],
    ['SELECT {aB:Int8}', '{aB:Int8}', 'PLACEHOLDER_NAME_INVALID'],
    ['SELECT 1 WHERE x [[ AND @A ]]', '@A', 'PLACEHOLDER_NAME_INVALID'],
  ])('are named once with what to do: %s', (text, place, code) => {
    expect(problemsOf(text)).toEqual([[place, code]]);
  });

  it('are all reported, in the order of the text', () => {
    const text = 'SELECT @A, {b} FROM t WHERE x [[ AND y ]] SETTINGS a = 1 FORMAT JSON; SELECT 2';
    const places = problemsOf(text).map(([place]) => place);
    expect(places).toEqual(['@A', '{b', '[[ AND y ]]', 'SETTINGS', 'FORMAT', 'SELECT']);
  });

  it('say that brackets are nested too deep', () => {
    const [problem] = problemsOf(`SELECT ${'('.repeat(100_000)}`);
    expect(problem).toEqual(['(', 'NESTING_TOO_DEEP']);
  });

  it.each([
    'SELECT format, settings, limit, offset FROM t',
    'SELECT 1 AS format, 2 AS settings, t.limit, t.settings AS union',
    'SELECT 1 FROM t AS format WHERE format.settings = 1 AND limit > 2 OR settings = 3',
    "SELECT format('{}', x) FROM format(JSONEachRow, '{}') ORDER BY format, settings DESC",
    'WITH 1 AS format, settings AS (SELECT 1) SELECT format FROM settings',
    'WITH totals AS (SELECT 1) SELECT * FROM totals',
    'SELECT a, FROM t',
    'SELECT count() FILTER (WHERE a), extract(DAY FROM b), trim(BOTH 1 FROM c) FROM t WHERE d',
    'SELECT a IS DISTINCT FROM b FROM t WHERE 1',
    'SELECT * FROM (SELECT a FROM t GROUP BY a WITH TOTALS)',
    'SELECT 1 UNION ALL WITH totals AS (SELECT 1) SELECT * FROM totals',
  ])('do not include keywords that are names: %s', (text) => {
    expect(problemsOf(text)).toEqual([]);
  });
});

describe('the WITH list', () => {
  it.each([
    ['SELECT 1', undefined, []],
    ['WITH 5 AS x, a AS (SELECT 1) SELECT x FROM a', '5 AS x, a AS (SELECT 1)', [['a', 'SELECT 1']]],
    ['WITH (SELECT 1) AS x SELECT x', '(SELECT 1) AS x', []],
    [
      'WITH f(1, 2) AS x, `b c` AS ( SELECT 2 ) SELECT x',
      'f(1, 2) AS x, `b c` AS ( SELECT 2 )',
      [['b c', ' SELECT 2 ']],
    ],
    [
      'WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM a) SELECT * FROM a',
      'RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM a)',
      [['a', 'SELECT 1 AS n UNION ALL SELECT n + 1 FROM a']],
    ],
    [
      'WITH recursive AS (SELECT 1) SELECT * FROM recursive',
      'recursive AS (SELECT 1)',
      [['recursive', 'SELECT 1']],
    ],
    ['WITH a (x, y) AS (SELECT 1, 2) SELECT x FROM a', 'a (x, y) AS (SELECT 1, 2)', [['a', 'SELECT 1, 2']]],
    ['WITH a AS MATERIALIZED (SELECT 1) SELECT 1', 'a AS MATERIALIZED (SELECT 1)', [['a', 'SELECT 1']]],
    [
      'WITH a AS (WITH b AS (SELECT 1) SELECT * FROM b) FROM a SELECT 1',
      'a AS (WITH b AS (SELECT 1) SELECT * FROM b)',
      [['a', 'WITH b AS (SELECT 1) SELECT * FROM b']],
    ],
    [
      'WITH x -> x + 1 AS f, a AS (SELECT f(1)) SELECT 1',
      'x -> x + 1 AS f, a AS (SELECT f(1))',
      [['a', 'SELECT f(1)']],
    ],
    ['SELECT 1 UNION ALL (WITH a AS (SELECT 1) SELECT * FROM a)', undefined, []],
  ])('of %s is found with the names and places of its queries', (text, list, queries) => {
    const { withList, withQueries, problems } = parseSelectText(text);
    expect(problems).toEqual([]);
    expect(withList && text.slice(withList.start, withList.end)).toBe(list);
    expect(withQueries.map(({ name }) => name)).toEqual(queries.map(([name]) => name));
    for (const [index, { item }] of withQueries.entries())
      expect(text.slice(item.start, item.end).endsWith(`(${queries[index]?.[1]})`)).toBe(true);
  });

  it('has items from the name to the closing parenthesis', () => {
    const text = 'WITH 1 AS x, a AS (SELECT @b) SELECT * FROM a';
    const [query] = parseSelectText(text).withQueries;
    expect(text.slice(query?.item.start, query?.item.end)).toBe('a AS (SELECT @b)');
  });
});

describe('a SELECT whose whole result a LIMIT after it would limit', () => {
  it.each([
    ['SELECT 1', false],
    ['SELECT a FROM t WHERE x GROUP BY a ORDER BY a DESC NULLS LAST', false],
    ['SELECT a FROM (SELECT 1 LIMIT 1) WHERE b IN (SELECT 1 UNION ALL SELECT 2 LIMIT 3)', false],
    ['WITH a AS (SELECT 1 LIMIT 1) SELECT * EXCEPT (b) FROM a', false],
    ['SELECT * EXCEPT b FROM t', false],
    ['SELECT limit, t.offset, a AS union FROM t WHERE limit > 1', false],
    ['SELECT a FROM t LIMIT 1', true],
    ['SELECT a FROM t LIMIT 1 BY a', true],
    ['SELECT a FROM t ORDER BY a LIMIT 1, 2', true],
    ['SELECT a FROM t LIMIT 1;', true],
    ['SELECT a FROM t OFFSET 1', true],
    ['SELECT a FROM t ORDER BY a OFFSET 1 ROW FETCH FIRST 1 ROW ONLY', true],
    ['SELECT TOP 3 a FROM t', true],
    ['SELECT 1 UNION ALL SELECT 2', true],
    ['SELECT 1 UNION (SELECT 2)', true],
    ['SELECT 1 INTERSECT SELECT 2', true],
    ['SELECT 1 EXCEPT SELECT 2', true],
    ['SELECT 1 EXCEPT ((SELECT 2))', true],
    ['SELECT 1 [[ UNION ALL SELECT @a ]]', true],
    ['SELECT 1,', true],
  ])('%s: needs wrapping is %s', (text, needsWrapping) => {
    expect(parseSelectText(text)).toMatchObject({ needsWrapping, problems: [] });
  });
});
