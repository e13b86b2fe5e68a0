import { integer, text } from '../../../src/endpoint/index.js';
import type { ProblemCode } from '../../../src/endpoint/problems.js';
import { SAMPLE } from '../../support/sample-endpoint.js';
import { sqlEndpointFile } from '../../support/sql-endpoint-file.js';

const NAMES = 'parameters: { city: { kind: string, description: A city. } }\ncolumns: { city: String }';
const HEADER = (header: string, select = 'SELECT city FROM t WHERE city = @city'): string =>
  sqlEndpointFile('cities.by-name', [header], select);
export const SELECT = (select: string, header = NAMES): string => HEADER(header, select);
const WHERE = (terms: string): string => SELECT(`SELECT city FROM t WHERE city = @city AND ${terms}`);
const columnOf = (parameter: string): string => `parameters: { ${parameter} }\ncolumns: { city: String }`;

const secret = text({ description: 'A city.', secret: true });
const bounded = (options: object): Readonly<Record<string, unknown>> => ({
  parameters: { city: integer({ description: 'A.', ...options }) },
});

/** Every code with a source or a change of the sample definition, and its sentence. */
export const ROWS: readonly (readonly [ProblemCode, string | Readonly<Record<string, unknown>>, string])[] = [
  [
    'OBJECT_EXPECTED',
    '/* My query */ SELECT 1',
    'the header must be an object with id, name, summary, tags, parameters, columns, maxRows, limit, caching, warming, sandboxing, staleIfError, queryLimits, limits, unknownParameters, tenant, example, warm, not "My query"',
  ],
  ['KEY_UNKNOWN', { sumary: 'A.' }, 'unknown key `sumary`; did you mean `summary`?'],
  ['KEY_MISSING', { summary: undefined }, 'summary is missing; it must be one sentence'],
  ['VALUE_INVALID', { maxRows: '5' }, 'maxRows "5" must be a whole number of at least 1'],
  [
    'VALUE_INVALID',
    HEADER(columnOf('city: { kind: strng, description: A. }')),
    'parameters.city.kind "strng" is no kind; did you mean string?',
  ],
  [
    'OPTION_CONFLICT',
    bounded({ required: true, default: 5 }),
    'parameters.city: required must be absent: an omitted parameter has the default',
  ],
  [
    'RANGE_EMPTY',
    bounded({ minimum: 6, maximum: 5 }),
    'parameters.city: no value is valid: minimum and maximum must leave some of the values of Int64',
  ],
  [
    'DEFAULT_INVALID',
    bounded({ maximum: 5, default: 6 }),
    'parameters.city: default must be a whole number between -9223372036854775808 and 5',
  ],
  [
    'TYPE_NOT_OF_KIND',
    SELECT('SELECT city FROM t WHERE city = {city:UInt8}'),
    'city is of kind string, and cannot be bound as UInt8; write String',
  ],
  [
    'BUILD_FAILED',
    { build: () => 'SELECT 1' },
    'build: must return sql`…` or withParts([…], sql`…`), not "SELECT 1"',
  ],
  [
    'NAME_INVALID',
    { parameters: { ...SAMPLE.parameters, City: text({ description: 'A.' }) } },
    'parameter "City" must be made of lower-case letters, digits and underscores',
  ],
  [
    'NAME_RESERVED',
    { parameters: { ...SAMPLE.parameters, now: text({ description: 'A.' }) } },
    'parameter "now" has a name that the gateway reserves: @now is the time of the request, in every query, without a declaration',
  ],
  [
    'PARAMETER_UNDECLARED',
    { warm: [{ ciy: 'x' }] },
    'warm.0 names the undeclared parameter "ciy"; did you mean "city"?',
  ],
  [
    'PARAMETER_UNUSED',
    SELECT('SELECT city FROM t'),
    'the parameter city is declared, but the SELECT has no @city: use it or remove it',
  ],
  [
    'PARAMETER_NOT_FILTERING',
    { tenant: { visits: 'city' }, parameters: { city: secret } },
    'tenant.visits names the secret parameter "city": a filter needs one value that may be logged',
  ],
  [
    'SECRET_IN_FILE',
    { parameters: { city: secret }, warm: [{ city: 'x' }] },
    'warm.0 names the secret parameter "city": leave this set out, or declare it without `secret`',
  ],
  [
    'HEADER_MISSING',
    'SELECT 1',
    'the file must begin with a comment that contains the header in YAML: /* name: …, id: …, summary: …, columns: … */',
  ],
  ['HEADER_NOT_CLOSED', '/* name: x', 'the header has no end: close the comment with */'],
  [
    'HEADER_ENDS_IN_TEXT',
    '/* name: a */ b\ncolumns: x */ SELECT 1',
    '*/ ends the header, also within a text: write the text without it',
  ],
  [
    'HEADER_TOO_LARGE',
    HEADER(`columns: { ${Array.from({ length: 501 }, (_, i) => `c${i}: String`).join(', ')} }`),
    'the header has more than 500 keys: leave some out, or divide the endpoint',
  ],
  [
    'YAML_INVALID',
    HEADER('columns: { city: String'),
    'the header is invalid YAML: Flow map in block collection must be sufficiently indented and end with a }',
  ],
  [
    'ALIAS_NOT_SUPPORTED',
    HEADER('columns: &a { city: String }\nexample: *a'),
    'the alias *a is not supported: write the value again',
  ],
  [
    'NUMBER_INEXACT',
    HEADER(columnOf('city: { kind: number, minimum: 0.12345678901234567, description: N. }')),
    'a number with more than 15 digits is not exact: write it in quotes',
  ],
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
  ['PLACEHOLDER_TYPE_MISSING', SELECT('SELECT {a}'), 'A type is missing. Write {a:String}, or @a.'],
  ['PLACEHOLDER_UNDECLARED', WHERE('x = @cty'), 'the parameter cty is not declared; did you mean @city?'],
  [
    'PLACEHOLDER_RESERVED',
    WHERE('@row_limit'),
    'row_limit is the row cap, which the gateway appends: name the parameter otherwise',
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
    'by is an Identifier and may be x, which is not a column of the header: list only columns in its choices',
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
    'PART_ALWAYS_APPLIES',
    WHERE('x [[ AND at < @now ]]'),
    'this part has no parameter of its own and would always apply: remove [[ and ]]',
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
