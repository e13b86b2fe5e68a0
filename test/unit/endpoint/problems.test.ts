import { problemsOfChoices } from '../../../src/endpoint/choices-from.js';
import { EndpointDefinitionError } from '../../../src/endpoint/definition-error.js';
import { defineEndpoint } from '../../../src/endpoint/endpoint.js';
import { text } from '../../../src/endpoint/index.js';
import { PROBLEM_CODES, type Problem, type ProblemCode } from '../../../src/endpoint/problems.js';
import { readSqlEndpoint } from '../../../src/endpoint/sql-file/read-sql-endpoint.js';
import { SqlFileError } from '../../../src/endpoint/sql-file/sql-file-error.js';
import { compareColumns } from '../../../src/gateway/analysis/column-problems.js';
import { SAMPLE } from '../../support/sample-endpoint.js';
import { ROWS, SELECT } from './problem-rows.js';

/** The problems of a text, or of the sample definition with some keys changed. */
function problemsOf(source: string | Readonly<Record<string, unknown>>): readonly Problem[] {
  try {
    if (typeof source === 'string') readSqlEndpoint(source);
    else defineEndpoint({ ...SAMPLE, ...source });
  } catch (error) {
    if (error instanceof SqlFileError || error instanceof EndpointDefinitionError) return error.problems;
    throw error;
  }
  return [];
}

/** Provoked where what they need is: a folder of files, a file system that rejects a write, a ClickHouse. */
const ELSEWHERE = new Set<ProblemCode>([
  ...(['FILES_MISSING', 'FILE_FAILED', 'NOT_UTF8', 'EXPORT_INVALID', 'FILE_NOT_WRITTEN'] as const),
  ...(['RELOAD_FAILED', 'NAME_NOT_OF_FILE', 'NAME_TAKEN', 'ID_TAKEN', 'QUERY_REJECTED'] as const),
  ...(['QUERY_FAILED', 'RIGHT_MISSING', 'EXAMPLE_INVALID', 'COLUMN_REPEATED'] as const),
  ...(['COLUMN_WITHOUT_FORMAT', 'COLUMNS_MISSING', 'COLUMNS_NOT_FOUND'] as const),
]);

describe('the problem of a file', () => {
  it.each([
    ...ROWS,
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
  ] as typeof ROWS)('has a code and a sentence: %s', (code, source, sentence) => {
    expect(problemsOf(source)).toContainEqual(expect.objectContaining({ code, problem: sentence }));
  });

  it.each([
    [
      'ENDPOINT_UNKNOWN',
      { endpoint: 'othr', column: 'city' },
      'names the unknown endpoint othr; did you mean other?',
    ],
    [
      'COLUMN_UNKNOWN',
      { endpoint: 'other', column: 'x' },
      'names the unknown column x of other; the columns are city',
    ],
    [
      'PARAMETERS_LACKING',
      { endpoint: 'other', column: 'city' },
      'names other, which requires country: declare the same parameters here',
    ],
  ])('in choicesFrom has a code and a sentence: %s', (code, choicesFrom, sentence) => {
    const parameters = new Map([['city', text({ description: 'A.', choicesFrom })]]);
    const required = new Map([['country', text({ description: 'A.', required: true })]]);
    const columns = new Map([['city', { type: 'String', meaning: '' }]]);
    const others = new Map([['other', { name: 'other', parameters: required, columns }]]);
    expect(problemsOfChoices({ name: 'a', parameters, columns }, others)).toEqual([
      expect.objectContaining({ code, problem: `parameters.city.choicesFrom ${sentence}` }),
    ]);
  });

  it.each([
    ['COLUMN_NOT_RETURNED', ['a'], 'column b is declared, but the query does not return it'],
    ['COLUMN_TYPE_DIFFERS', ['a', 'b Int8'], 'column b is declared as String, but the query returns Int8'],
    ['COLUMN_UNDECLARED', ['a', 'b', 'c'], 'column c String is returned by the query, but not declared'],
    [
      'COLUMN_ORDER_DIFFERS',
      ['b', 'a'],
      'the query returns the columns in another order than declared: b, a',
    ],
  ])('in its columns has a code and a sentence: %s', (code, returned, sentence) => {
    const declared = new Map(['a', 'b'].map((name) => [name, { type: 'String' }]));
    const described = returned.map((column) => {
      const [name = '', type = 'String'] = column.split(' ');
      return { name, type };
    });
    expect(compareColumns(declared, described)).toEqual([
      expect.objectContaining({ code, problem: sentence }),
    ]);
  });

  it('is provoked for each code', () => {
    const own = PROBLEM_CODES.filter(
      (code) => !ELSEWHERE.has(code) && !/^(?:COLUMN_|ENDPOINT_|PARAMETERS_)/.test(code),
    );
    expect(own.filter((code) => !ROWS.some(([row]) => row === code))).toEqual([]);
  });
});
