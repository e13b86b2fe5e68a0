import { integer, sql, text } from '../../../src/endpoint/index.js';
import type { ProblemCode } from '../../../src/endpoint/problems.js';
import { SAMPLE } from '../../support/sample-endpoint.js';
import { sqlEndpointFile } from '../../support/sql-endpoint-file.js';

const NAMES = 'parameters: { city: { kind: string, description: A city. } }\ncolumns: { city: String }';
const HEADER = (header: string, select = 'SELECT city FROM t WHERE city = @city'): string =>
  sqlEndpointFile('cities.by-name', [header], select);
export const SELECT = (select: string, header = NAMES): string => HEADER(header, select);
export const columnOf = (parameter: string): string =>
  `parameters: { ${parameter} }\ncolumns: { city: String }`;

const PAGED = `parameters: { city: { kind: string, description: A. }, town: { kind: string, description: A. } }
columns: { city: String, town: String }
pages: { by: [city, town] }`;

const secret = text({ description: 'A city.', secret: true });
const bounded = (options: object): Readonly<Record<string, unknown>> => ({
  parameters: { city: integer({ description: 'A.', ...options }) },
});

/** A code with a source or a change of the sample definition, and its sentence. */
export type Row = readonly [ProblemCode, string | Readonly<Record<string, unknown>>, string | RegExp];

/** Of a definition, and of the header of a file. */
export const ROWS: readonly Row[] = [
  [
    'OBJECT_EXPECTED',
    '/* My query */ SELECT 1',
    'the header must be an object with id, name, summary, tags, parameters, columns, maxRows, limit, caching, warming, sandboxing, staleIfError, queryLimits, limits, exports, pages, pieces, unknownParameters, deprecated, goneAfterSunset, numbers, tables, tenant, example, warm, not "My query"',
  ],
  ['KEY_UNKNOWN', { sumary: 'A.' }, 'unknown key `sumary`; did you mean `summary`?'],
  ['KEY_UNKNOWN', { xyz: 1 }, /^unknown key `xyz`; the keys are id, name, summary, /],
  ['KEY_MISSING', { summary: undefined }, 'summary is missing; it must be one sentence'],
  ['VALUE_INVALID', { maxRows: '5' }, 'maxRows "5" must be a whole number of at least 1'],
  [
    'VALUE_INVALID',
    HEADER(columnOf('city: { kind: strng, description: A. }')),
    'parameters.city.kind "strng" is no kind; did you mean string?',
  ],
  [
    'VALUE_INVALID',
    HEADER(columnOf('city: { kind: datetime-list, description: A. }')),
    'parameters.city.kind "datetime-list" is no kind; did you mean timestamp-list?',
  ],
  [
    'VALUE_INVALID',
    { columns: ['a'] },
    'columns is an array; it must be an object of columns by name, at least one',
  ],
  [
    'VALUE_INVALID',
    HEADER(`${NAMES}\ndeprecated: { since: soon }`),
    'deprecated.since "soon" must be a date such as 2026-11-30',
  ],
  [
    'VALUE_INVALID',
    HEADER(`${NAMES}\ndeprecated: { since: 2026-11-30, sunset: 2026-11-29 }`),
    'deprecated.sunset "2026-11-29" must not be before deprecated.since',
  ],
  [
    'VALUE_INVALID',
    { deprecated: { since: '2026-11-30', successor: SAMPLE.name } },
    'deprecated.successor "sample" must be another endpoint',
  ],
  ['KEY_MISSING', { deprecated: {} }, 'deprecated.since is missing; it must be a date such as 2026-11-30'],
  [
    'VALUE_INVALID',
    { name: 'sample@0' },
    'name "sample@0" must be lower-case words joined by dots or hyphens, perhaps with @2 for a version',
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
    'BUILD_FAILED',
    { build: () => Promise.resolve(1) },
    'build: must return sql`…` or withParts([…], sql`…`), not a promise',
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
    'PARAMETER_UNUSED',
    SELECT("SELECT city FROM t WHERE city LIKE '%@city%'"),
    "the parameter city is declared, but the SELECT has no @city: in '%@city%' it is text, not a parameter: write concat('%', @city, '%')",
  ],
  ['PAGES_INVALID', { pages: { by: ['town'] } }, 'pages.by names the column town, which is not in columns'],
  [
    'PAGES_INVALID',
    { pages: { by: ['citty'] } },
    'pages.by names the column citty, which is not in columns; did you mean city?',
  ],
  ['PAGES_INVALID', { pages: { by: ['city', 'city desc'] } }, 'pages.by names city twice'],
  [
    'PAGES_INVALID',
    SELECT(
      'SELECT area FROM t WHERE city = @city',
      `${NAMES.replace('{ city: String }', '{ area: Float64, city: String }')}\npages: { by: [area, city desc nulls first] }`,
    ),
    'pages.by names area, whose type Float64 has no exact text: name a number without a fraction, a text, a time or a UUID',
  ],
  [
    'PAGES_INVALID',
    SELECT('SELECT city [[, @town AS town]] FROM t WHERE city = @city', PAGED),
    'pages.by names town, which an optional part adds',
  ],
  [
    'TABLE_PRIVATE',
    SELECT('SELECT city FROM logs.`querygate_calls` WHERE city = @city'),
    /^the query reads querygate_calls, the gateway’s table of recorded calls, .* which no endpoint may read$/,
  ],
  [
    'TABLE_PRIVATE',
    { build: () => sql`SELECT 1 AS n FROM ${sql`querygate_calls_local`}` },
    /^the query reads querygate_calls/,
  ],
  [
    'PAGES_NAME_TAKEN',
    { pages: { by: ['city'] }, parameters: { ...SAMPLE.parameters, after: text({ description: 'A.' }) } },
    'parameter "after" has a name that an endpoint with pages binds itself: rename it',
  ],
  [
    'PAGES_AFTER_MISPLACED',
    SELECT('SELECT city FROM t WHERE city = @city AND @after', `${NAMES}\npages: { by: [city] }`),
    '@after is the place of a page: write it within an optional part, as in [[ AND @after ]]',
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
];
