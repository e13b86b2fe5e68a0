import { columnOf, SELECT, type Row } from './problem-rows.js';

const WHERE = (terms: string): string => SELECT(`SELECT city FROM t WHERE city = @city AND ${terms}`);

/** Of the SELECT of a file. */
export const SELECT_ROWS: readonly Row[] = [
  [
    'QUERY_MISSING',
    SELECT(''),
    'There is no query here: the text of an endpoint is one query that begins with WITH or SELECT.',
  ],
  [
    'QUERY_NOT_SELECT',
    SELECT('(SELECT 1)'),
    'The query begins with (, but the text of an endpoint is one query that begins with WITH or SELECT. Remove the parentheses around it.',
  ],
  [
    'SECOND_STATEMENT',
    SELECT('SELECT 1; SELECT 2'),
    'A second statement begins here. Write one query, and nothing after its semicolon.',
  ],
  [
    'SYNTAX_NOT_ALLOWED',
    SELECT('SELECT 1 FORMAT JSON'),
    'FORMAT is not allowed: each request names its format. Remove it.',
  ],
  [
    'SYNTAX_NOT_ALLOWED',
    SELECT('SELECT 1 SETTINGS a = 1'),
    'SETTINGS is not allowed: the gateway sends the settings of a query. Remove it.',
  ],
  [
    'SYNTAX_NOT_ALLOWED',
    SELECT("SELECT 1 INTO OUTFILE 'a'"),
    'INTO OUTFILE is not allowed: the result is the response. Remove it.',
  ],
  [
    'SYNTAX_NOT_ALLOWED',
    SELECT('SELECT 1 PARALLEL WITH SELECT 2'),
    'PARALLEL WITH is not allowed: the text of an endpoint is one query. Remove it.',
  ],
  [
    'SYNTAX_NOT_ALLOWED',
    SELECT('SELECT a FROM t GROUP BY a WITH TOTALS'),
    'WITH TOTALS is not allowed: a response has no place for totals. Write WITH ROLLUP, or a UNION ALL with the totals.',
  ],
  ['SYNTAX_NOT_ALLOWED', SELECT('SELECT 1\\G'), '\\G is not allowed. Remove it.'],
  ['NOT_CLOSED', SELECT("SELECT 'a"), "' is not closed. Write ' where it ends."],
  ['TOKEN_INVALID', SELECT('SELECT 1 ~ 2'), '~ is not a token of ClickHouse. Remove it, or quote it.'],
  ['LITERAL_INVALID', SELECT("SELECT x'0g'"), "x' needs hexadecimal digits and a closing '."],
  ['NOT_CLOSED', SELECT('SELECT (1'), '( is not closed. Write ) after it.'],
  ['CLOSES_NOTHING', SELECT('SELECT 1)'), ') closes nothing. Remove it, or write what it closes before it.'],
  [
    'ARRAY_OF_ARRAYS',
    SELECT('SELECT [[1], [2]]'),
    '[[ begins an optional part. Write an array of arrays with a space, as in [ [1], [2] ].',
  ],
  [
    'NESTING_TOO_DEEP',
    SELECT(`SELECT ${'('.repeat(201)}`),
    'Brackets are nested more than 200 deep. Use WITH queries instead.',
  ],
  [
    'WITH_NAME_RESERVED',
    SELECT('WITH result AS (SELECT @city AS city) SELECT city FROM result'),
    'a WITH query must not be named result: callers’ own SQL reads the rows by that name',
  ],
  [
    'PLACEHOLDER_NAME_INVALID',
    SELECT('SELECT @A'),
    'A is not a name of a parameter: write lower-case letters, digits and _ with a letter first.',
  ],
  [
    'PLACEHOLDER_NAME_MISSING',
    SELECT('SELECT @'),
    '@ has no name. Write @name for a parameter, without a space, or remove @.',
  ],
  ['PLACEHOLDER_NAME_MISSING', SELECT('SELECT {:String}'), 'The parameter has no name. Write {name:Type}.'],
  ['PLACEHOLDER_TYPE_MISSING', SELECT('SELECT {a}'), 'A type is missing. Write {a:String}, or @a.'],
  [
    'PARAMETER_UNDECLARED',
    WHERE('x = @cty'),
    'the SELECT names the undeclared parameter "cty"; did you mean @city?',
  ],
  [
    'NAME_RESERVED',
    WHERE('@row_limit'),
    'parameter "row_limit" has a name that the gateway reserves: it is the row cap, which the gateway appends',
  ],
  [
    'CLOCK_WITH_TYPE',
    WHERE('at < {now:DateTime}'),
    'the clock of the gateway is written @now, without a type',
  ],
  [
    'IDENTIFIER_NOT_COLUMN',
    SELECT(
      'SELECT city FROM t ORDER BY {by:Identifier}',
      columnOf('by: { kind: enum, choices: [city, x], default: city, description: Order. }'),
    ),
    "by is an Identifier and may be x, which is not a column of the header: list only columns in its choices, and choose others by multiIf(@by = 'x', x, …)",
  ],
  [
    'NULL_NOT_POSSIBLE',
    SELECT(
      'SELECT city FROM t WHERE has(@c, city)',
      columnOf('c: { kind: string-list, description: Cities. }'),
    ),
    'c may be omitted, and a list cannot be null: give it a default, make it required, or put [[ … ]] around the part that needs it',
  ],
  [
    'PART_WITHOUT_PARAMETER',
    WHERE('x [[ AND y ]]'),
    'The optional part has no parameter of its own: it applies when its parameters have values. Name one in it, or remove [[ and ]]. For an array of arrays write [ [1], [2] ].',
  ],
  [
    'PART_SPLITS_BETWEEN',
    WHERE('x BETWEEN 1 [[ AND @city ]] AND 2'),
    'A BETWEEN and its AND must be in the same optional part, or both outside: [[ AND a BETWEEN @a AND @b ]].',
  ],
  [
    'PART_SPLITS_CHOICE',
    WHERE('x ? y : z [[ AND @city ]]'),
    'AND and OR bind closer than ? :. Write parentheses: WHERE (a ? b : c) [[ AND d = @d ]].',
  ],
  [
    'PART_MIXES_OPERATORS',
    WHERE('x [[ AND a = @city OR b ]]'),
    'AND binds closer than OR here. Write parentheses: [[ AND (a = @a OR b = @b) ]].',
  ],
  [
    'PART_WITHOUT_OPERATOR',
    WHERE('x = 1 [[ AND a = @city ]] + 3'),
    'An optional term must have its AND or OR, as in [[ AND a = @a ]] after a whole term or [[ a = @a AND ]] before one. Where there is no other term, write WHERE true.',
  ],
  [
    'PART_WITHOUT_COMMA',
    SELECT('SELECT a, [[ @city AS city ]] FROM t'),
    'Optional items must have their comma, as in [[, a]] after a whole item or [[a,]] before one. For an array of arrays write [ [1], [2] ].',
  ],
  [
    'PART_CUTS_CLAUSE',
    WHERE('x [[ GROUP BY @city ]] AND y'),
    'What follows the optional part would belong to its last clause or query. Put it into the part, or the whole before it into SELECT * FROM (…).',
  ],
  [
    'PART_COLUMN_UNNAMED',
    SELECT('SELECT a [[, @city ]]'),
    'An optional column needs a name. Write one after it with AS, as in [[, @a AS a]].',
  ],
  [
    'PART_COLUMN_UNDECLARED',
    SELECT('SELECT city [[, @city AS town ]] FROM t'),
    'this part adds the column town, which columns in the header does not list',
  ],
];
