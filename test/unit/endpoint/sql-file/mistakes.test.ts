import { textOfProblem } from '../../../../src/endpoint/file-problems.js';
import { mistakesIn, problemsOfSql } from '../../../support/problems-of-sql.js';
import { sqlEndpointFile } from '../../../support/sql-endpoint-file.js';

const file = (select: string, header: string): string => sqlEndpointFile('cities.by-name', [header], select);
const NAMES = 'parameters: { city: { kind: string, description: A city. } }\ncolumns: { city: String }';
const CITY = 'SELECT city FROM t WHERE city = @city';
/** A file with another header, of which the parameter is `n`. */
const ofN = (select: string, n: string): string =>
  file(select, `parameters: { n: { ${n}, description: N. } }\ncolumns: { city: String }`);

describe('a mistake in an endpoint file in SQL', () => {
  it.each([
    ['HEADER_MISSING 1:1', 'SELECT 1'],
    ['HEADER_MISSING 1:1', ''],
    ['HEADER_NOT_CLOSED 1:1', '/* name: x\nSELECT 1'],
    ['HEADER_ENDS_IN_TEXT 2:9', '/*\nname: a */ b\ncolumns: x */ SELECT 1'],
    ['YAML_INVALID 6:1', file(CITY, 'columns: { city: String')],
    ['YAML_INVALID 7:1', file(CITY, `${NAMES}\nsummary: Again.`)],
    ['YAML_INVALID 7:1', file(CITY, `${NAMES}\n---\nbogus: 1`)],
    ['ALIAS_NOT_SUPPORTED 7:10', file(CITY, `${NAMES.replace('{ city:', '&a { city:')}\nexample: *a`)],
    ['OBJECT_EXPECTED 2:1', '/*\n- a\n*/ SELECT 1'],
    ['OBJECT_EXPECTED 1:4', '/* My query */ SELECT 1'],
    ['KEY_UNKNOWN 7:1', file(CITY, `${NAMES}\ncachin: 5`)],
    ['KEY_UNKNOWN 5:37', file(CITY, NAMES.replace('string,', 'string, minimum: 1,'))],
    ['KEY_MISSING 5:15', file(CITY, NAMES.replace(', description: A city.', ''))],
    ['KEY_MISSING 2:1', file(CITY, NAMES.replace(/columns.*/, ''))],
    ['VALUE_INVALID 7:10', file(CITY, `${NAMES}\ncaching: soon`)],
    ['VALUE_INVALID 5:23', file(CITY, NAMES.replace('string', 'strng'))],
    ['DEFAULT_INVALID 5:47', ofN('SELECT city FROM t WHERE n = @n', 'kind: integer, maximum: 5, default: 6')],
    ['NUMBER_INEXACT 5:43', ofN('SELECT @n', 'kind: number, minimum: 0.12345678901234567')],
    ['NAME_RESERVED 5:15', file('SELECT @sql', NAMES.replace('city: {', 'sql: {'))],
    ['NAME_RESERVED 8:43', file(`${CITY} AND @row_limit`, NAMES)],
    ['PARAMETER_UNDECLARED 8:33', file('SELECT city FROM t WHERE city = @cty', NAMES)],
    ['PARAMETER_UNDECLARED 7:18', file(CITY, `${NAMES}\nexample: { town: Rome }`)],
    ['PARAMETER_UNUSED 5:15', file('SELECT city FROM t', NAMES)],
    ['TYPE_NOT_OF_KIND 8:33', file('SELECT city FROM t WHERE city = {city:UInt8}', NAMES)],
    ['TYPE_NOT_OF_KIND 8:29', file('SELECT city FROM t ORDER BY {city:Identifier}', NAMES)],
    ['CLOCK_WITH_TYPE 8:48', file(`${CITY} AND at < {now:DateTime}`, NAMES)],
    [
      'IDENTIFIER_NOT_COLUMN 8:8',
      ofN('SELECT {n:Identifier}', 'kind: enum, choices: [city, x], default: city'),
    ],
    ['NULL_NOT_POSSIBLE 8:8', ofN('SELECT {n:Identifier}', 'kind: enum, choices: [city]')],
    ['NULL_NOT_POSSIBLE 8:12', ofN('SELECT has(@n, city)', 'kind: string-list')],
    ['PART_WITHOUT_PARAMETER 8:39', file(`${CITY} [[ AND at < @now ]]`, NAMES)],
    ['PART_COLUMN_UNDECLARED 8:13', file('SELECT city [[, @city AS town ]] FROM t', NAMES)],
    ['WITH_NAME_RESERVED 8:6', file('WITH result AS (SELECT @city AS city) SELECT city FROM result', NAMES)],
    ['QUERY_NOT_SELECT 8:1', file('INSERT INTO t SELECT @city', NAMES)],
  ])('has a code and its place: %s', (mistake, source) => {
    expect(mistakesIn(source)).toContain(mistake);
  });

  it('is reported with an excerpt and carets below it', () => {
    const source = file('SELECT city\nFROM t\n\tWHERE city = @town', NAMES);
    expect(problemsOfSql(source).map(textOfProblem).join('\n')).toContain(
      '10:15: the SELECT names the undeclared parameter "town"; declare it in the header: parameters: { town: { kind: string, description: … } }\n' +
        '     WHERE city = @town\n                  ^^^^^',
    );
  });

  it('offers a new id where the id is missing', () => {
    const [{ problem } = {}] = problemsOfSql(file(CITY, NAMES).replace(/^id.*$/m, ''));
    expect(problem).toMatch(/id is missing; it must be a UUID; here is one: [0-9a-f-]{36}/);
  });

  it('is reported together with all other mistakes, in the order of the file', () => {
    const source = file('SELECT city FROM t WHERE city = @town AND n = @m FORMAT CSV', `${NAMES}\nmaxRow: 3`);
    expect(mistakesIn(source)).toEqual([
      'KEY_UNKNOWN 7:1',
      'PARAMETER_UNDECLARED 9:33',
      'PARAMETER_UNDECLARED 9:47',
      'SYNTAX_NOT_ALLOWED 9:50',
    ]);
  });

  it('in the YAML does not report what the header may declare as undeclared', () => {
    expect(problemsOfSql(file(CITY, `${NAMES}\nsummary: Again.`))).toHaveLength(1);
  });
});
