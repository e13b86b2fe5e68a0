import { readSqlEndpoint } from '../../../../src/endpoint/sql-file/read-sql-endpoint.js';
import { textOfProblem } from '../../../../src/endpoint/file-problems.js';
import {
  problemsOfSqlFile,
  type PlacedProblem,
} from '../../../../src/endpoint/sql-file/sql-file-problems.js';
import { sqlEndpointFile } from '../../../support/sql-endpoint-file.js';

const file = (select: string, header: string): string => sqlEndpointFile('cities.by-name', [header], select);

/** The problems of a file, each `line:column: problem` without its excerpt. */
function problemsOf(source: string): readonly string[] {
  try {
    readSqlEndpoint(source);
    return [];
  } catch (error) {
    return (problemsOfSqlFile(error, source) ?? []).map(
      ({ line, column, problem }) => `${line}:${column}: ${problem}`,
    );
  }
}

describe('a mistake in an endpoint file in SQL', () => {
  const NAMES = 'parameters: { city: { kind: string, description: A city. } }\ncolumns: { city: String }';
  const CITY = 'SELECT city FROM t WHERE city = @city';

  it.each([
    ['no header', 'SELECT 1', '1:1: the file must begin with a comment that contains the header in YAML'],
    ['an open header', '/* name: x\nSELECT 1', '1:1: the header has no end: close the comment with */'],
    ['an empty file', '', '1:1: the file must begin with a comment'],
    ['invalid YAML', file(CITY, 'columns: { city: String'), '6:1: the header is invalid YAML'],
    [
      'a repeated key',
      file(CITY, `${NAMES}\nsummary: Again.`),
      '7:1: the header is invalid YAML: Map keys must be unique',
    ],
    [
      'an unknown key',
      file(CITY, `${NAMES}\ncachin: 5`),
      '7:1: unknown key `cachin`; did you mean `caching`?',
    ],
    ['a list as header', '/*\n- a\n*/ SELECT 1', '2:1: the header must be an object with'],
    [
      'an invalid setting',
      file(CITY, `${NAMES}\ncaching: soon`),
      '7:10: caching "soon" must be "disabled" or a whole number',
    ],
    ['an unknown kind', file(CITY, NAMES.replace('string', 'strng')), '5:'],
    [
      'an option of another kind',
      file(CITY, NAMES.replace('string,', 'string, minimum: 1,')),
      '5:37: parameters.city: unknown key `minimum`',
    ],
    ['no description', file(CITY, NAMES.replace(', description: A city.', '')), 'description is missing'],
    [
      'a default beyond the bounds',
      file(
        'SELECT city FROM t WHERE n = @n',
        'parameters: { n: { kind: integer, maximum: 5, default: 6, description: N. } }\ncolumns: { city: String }',
      ),
      '5:',
    ],
    [
      'an inexact number',
      file(
        'SELECT city FROM t WHERE n > @n',
        'parameters: { n: { kind: number, minimum: 0.12345678901234567, description: N. } }\ncolumns: { city: String }',
      ),
      '5:43: a number with more than 15 digits is not exact: write it in quotes',
    ],
    [
      'a second YAML document',
      file(CITY, `${NAMES}\n---\nbogus: 1`),
      'the header is invalid YAML: Source contains multiple documents',
    ],
    ['an ordinary comment', '/* My query */ SELECT 1', '1:4: the header must be an object with'],
    ['no columns', file(CITY, NAMES.replace(/columns.*/, '')), 'columns is missing'],
    [
      'an undeclared parameter',
      file('SELECT city FROM t WHERE city = @cty', NAMES),
      '8:33: the parameter cty is not declared; did you mean @city?',
    ],
    [
      'an unused parameter',
      file('SELECT city FROM t', NAMES),
      '5:15: the parameter city is declared, but the SELECT has no @city',
    ],
    ['an undeclared name in the example', file(CITY, `${NAMES}\nexample: { town: Rome }`), '7:'],
    [
      'a type of another kind',
      file('SELECT city FROM t WHERE city = {city:UInt8}', NAMES),
      '8:33: city is of kind string, and cannot be bound as UInt8; write String',
    ],
    [
      'a parameter with a reserved name',
      file('SELECT city FROM t WHERE city = @sql', NAMES.replace('city: {', 'sql: {')),
      'has a name that the gateway reserves',
    ],
    [
      'the row cap as a parameter',
      file('SELECT city FROM t WHERE city = @city AND @row_limit', NAMES),
      '8:43: row_limit is the row cap',
    ],
    [
      'the clock with a type',
      file('SELECT city FROM t WHERE city = @city AND at < {now:DateTime}', NAMES),
      '8:48: the clock of the gateway is written @now',
    ],
    [
      'an identifier that is no enum',
      file('SELECT city FROM t ORDER BY {city:Identifier}', NAMES),
      '8:29: city is of kind string, and cannot be bound as Identifier',
    ],
    [
      'an identifier that is no column',
      file(
        'SELECT city FROM t ORDER BY {by:Identifier}',
        'parameters: { by: { kind: enum, choices: [city, password], default: city, description: Order. } }\ncolumns: { city: String }',
      ),
      '8:29: by is an Identifier and may be password, which is not a column',
    ],
    [
      'an identifier that may be omitted',
      file(
        'SELECT city FROM t ORDER BY {by:Identifier}',
        'parameters: { by: { kind: enum, choices: [city], description: Order. } }\ncolumns: { city: String }',
      ),
      '8:29: by may be omitted, and an Identifier cannot be null',
    ],
    [
      'a list that may be omitted',
      file(
        'SELECT city FROM t WHERE has(@cities, city)',
        'parameters: { cities: { kind: string-list, description: Cities. } }\ncolumns: { city: String }',
      ),
      '8:30: cities may be omitted, and a list cannot be null',
    ],
    [
      'a part that always applies',
      file(`${CITY} [[ AND at < @now ]]`, NAMES),
      'would always apply: remove [[ and ]]',
    ],
    [
      'an optional column that the header lacks',
      file('SELECT city [[, @city AS town ]] FROM t', NAMES),
      'adds the column town, which columns in the header does not list',
    ],
    [
      'a WITH query named result',
      file('WITH result AS (SELECT @city AS city) SELECT city FROM result', NAMES),
      '8:6: a WITH query must not be named result',
    ],
    ['an INSERT', file('INSERT INTO t SELECT @city', NAMES), '8:1: '],
  ])('is reported with its place: %s', (_what, source, expected) => {
    const problems = problemsOf(source);
    expect(problems.join('\n')).toContain(expected);
    expect(problems[0]).toMatch(/^\d+:\d+: /);
  });

  it('is reported with an excerpt and carets below it', () => {
    const source = file('SELECT city\nFROM t\n\tWHERE city = @town', NAMES);
    let problems: readonly PlacedProblem[] | undefined;
    try {
      readSqlEndpoint(source);
    } catch (error) {
      problems = problemsOfSqlFile(error, source);
    }
    expect(problems?.map(textOfProblem).join('\n')).toContain(
      '10:15: the parameter town is not declared; declare it in the header: parameters: { town: { kind: string, description: … } }\n' +
        '     WHERE city = @town\n                  ^^^^^',
    );
  });

  it('offers a new id where the id is missing', () => {
    const problems = problemsOf(file(CITY, NAMES).replace(/^id.*$/m, ''));
    expect(problems.join('\n')).toMatch(/id is missing; it must be a UUID; here is one: [0-9a-f-]{36}/);
  });

  it('is reported together with all other mistakes, in the order of the file', () => {
    const source = file('SELECT city FROM t WHERE city = @town AND n = @m FORMAT CSV', `${NAMES}\nmaxRow: 3`);
    const problems = problemsOf(source);
    expect(problems.length).toBeGreaterThanOrEqual(2);
    const lines = problems.map((problem) => Number(problem.split(':', 1)[0]));
    expect(lines).toEqual([...lines].sort((a, b) => a - b));
    expect(problems.join('\n')).toMatch(/maxRow[\s\S]*FORMAT/);
  });

  it('in the YAML does not report what the header may declare as undeclared', () => {
    expect(problemsOf(file(CITY, `${NAMES}\nsummary: Again.`))).toHaveLength(1);
  });
});
