import path from 'node:path';

import { problemsOfReferences } from '../../../src/endpoint/references.js';
import { EndpointDefinitionError } from '../../../src/endpoint/definition-error.js';
import { EndpointLoader } from '../../../src/endpoint/endpoint-loader.js';
import { defineEndpoint, type Endpoint } from '../../../src/endpoint/endpoint.js';
import { textOfProblem } from '../../../src/endpoint/file-problems.js';
import { sql, text } from '../../../src/endpoint/index.js';
import { PROBLEM_CODES, type Problem, type ProblemCode } from '../../../src/endpoint/problems.js';
import { readSqlEndpoint } from '../../support/read-sql-endpoint.js';
import { SqlFileError } from '../../../src/endpoint/sql-file/sql-file-error.js';
import { compareColumns } from '../../../src/gateway/clickhouse/compare-columns.js';
import { writeFiles } from '../../support/project-folder.js';
import { SAMPLE } from '../../support/sample-endpoint.js';
import { withTemporaryFolder } from '../../support/temporary-folder.js';
import { typescriptFile } from '../../support/typescript-files.js';
import { PIECE_ROWS } from './piece-problem-rows.js';
import { ROWS } from './problem-rows.js';
import { SELECT_ROWS } from './select-problem-rows.js';

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

/** Provoked where what they need is: a file that cannot be loaded or written, or a ClickHouse. */
const ELSEWHERE = new Set<ProblemCode>([
  ...(['FILE_FAILED', 'FILE_NOT_WRITTEN', 'RELOAD_FAILED', 'QUERY_REJECTED', 'QUERY_FAILED'] as const),
  ...([
    'RIGHT_MISSING',
    'GRANTS_UNKNOWN',
    'EXAMPLE_INVALID',
    'COLUMN_REPEATED',
    'COLUMN_WITHOUT_FORMAT',
  ] as const),
  ...(['COLUMNS_MISSING', 'COLUMNS_NOT_FOUND', 'PIECES_NOT_POSSIBLE', 'PAGES_NOT_POSSIBLE'] as const),
  // Of test files.
  ...(['TABLE_UNKNOWN', 'ROWS_FILE_MISSING', 'ROW_REJECTED'] as const),
  ...(['CLOCK_IN_QUERY', 'NOW_MISSING', 'SECRET_IN_TEST'] as const),
]);

type Row = readonly [code: ProblemCode, source: unknown, sentence: string | RegExp];

/** In `choicesFrom`. */
const OF_CHOICES = [
  ['ENDPOINT_UNKNOWN', 'othr city', 'names the unknown endpoint othr; did you mean other?'],
  ['COLUMN_UNKNOWN', 'other x', 'names the unknown column x of other; the columns are city'],
  [
    'PARAMETERS_LACKING',
    'other city',
    'names other, which requires country: declare the same parameters here',
  ],
] as const satisfies readonly Row[];

/** Of the columns a and b, where ClickHouse describes others. */
const OF_COLUMNS = [
  ['COLUMN_NOT_RETURNED', 'a', 'column b is declared, but the query does not return it'],
  ['COLUMN_TYPE_DIFFERS', 'a,b Int8', 'column b is declared as String, but the query returns Int8'],
  ['COLUMN_UNDECLARED', 'a,b,c', 'column c String is returned by the query, but not declared'],
  ['COLUMN_ORDER_DIFFERS', 'b,a', 'the query returns the columns in another order than declared: b, a'],
] as const satisfies readonly Row[];

const FIRST = typescriptFile();
/** Of a folder with these files, with their places. */
const OF_FOLDERS = [
  ...[{}, { 'README.md': '' }].map(
    (files) =>
      [
        'FILES_MISSING',
        files,
        'There are no endpoint files in endpoints. Name the folder of the project with --project or PROJECT_DIR (in the Docker image, mount it: -v ./my-project:/project:ro), or create an endpoint: docs/how-to/write-an-endpoint.md shows how.',
      ] as const,
  ),
  [
    'NOT_UTF8',
    { 'a.sql': Buffer.from("/* name: a\n*/ SELECT 'Zürich'", 'latin1') },
    'endpoints/a.sql: line 2 is not UTF-8: save the file as UTF-8',
  ],
  ...['export const endpoint = 1;', 'export default { name: "first", digest: "" };'].map(
    (text) =>
      [
        'EXPORT_INVALID',
        { 'a.ts': text },
        'endpoints/a.ts: the default export is not the result of defineEndpoint of querygate',
      ] as const,
  ),
  [
    'NAME_NOT_OF_FILE',
    { 'sub/third.ts': FIRST },
    'endpoints/sub/third.ts:6: the endpoint first must be in a file first.ts',
  ],
  [
    'NAME_TAKEN',
    { 'a/first.ts': FIRST, 'first.ts': FIRST },
    'endpoints/first.ts:6: endpoints/a/first.ts has the same name first',
  ],
  [
    'ID_TAKEN',
    { 'first.ts': FIRST, 'second.ts': typescriptFile("name: 'second',") },
    /^endpoints\/second\.ts:5: endpoints\/first\.ts has the same id 11111111-.*; here is a new one: [0-9a-f-]{36}$/,
  ],
  [
    'TOOL_NAME_TAKEN',
    {
      'first.v2.ts': typescriptFile("name: 'first.v2', id: '22222222-2222-4222-8222-222222222222',"),
      'first@2.ts': typescriptFile("name: 'first@2', id: '33333333-3333-4333-8333-333333333333',"),
    },
    /^endpoints\/first@2\.ts:\d+: first@2 and the endpoint in endpoints\/first\.v2\.ts would have one name for agents and in OpenAPI: rename one of them$/,
  ],
  [
    'ENDPOINT_UNKNOWN',
    {
      'first.ts': typescriptFile("name: 'first', deprecated: { since: '2026-11-30', successor: 'first@2' },"),
    },
    /^endpoints\/first\.ts:\d+: deprecated\.successor names the unknown endpoint first@2; /,
  ],
] as const satisfies readonly Row[];

const only = (code: ProblemCode, sentence: string | RegExp): readonly unknown[] => [
  [code, typeof sentence === 'string' ? sentence : expect.stringMatching(sentence)],
];

describe('the problem of a file', () => {
  it.each([...ROWS, ...PIECE_ROWS, ...SELECT_ROWS])(
    'has a code and a sentence: %s',
    (code, source, sentence) => {
      const found = problemsOf(source).map((one) => [one.code, one.problem]);
      expect(found).toEqual(expect.arrayContaining([...only(code, sentence)]));
    },
  );

  it.each(OF_CHOICES)('in choicesFrom has a code and a sentence: %s', (code, named, sentence) => {
    const [endpoint = '', column = ''] = named.split(' ');
    const city = text({ description: 'A.', choicesFrom: { endpoint, column } });
    const country = text({ description: 'A.', required: true });
    const [naming, other] = [{ city }, { country }].map((parameters) =>
      defineEndpoint({ ...SAMPLE, parameters, example: {}, build: () => sql`SELECT city FROM t` }),
    ) as [Endpoint, Endpoint];
    const all = new Map([['other', other]]);
    const problems = problemsOfReferences(naming, all);
    const found = problems.map((one) => [one.code, one.problem]);
    expect(found).toEqual(only(code, `parameters.city.choicesFrom ${sentence}`));
  });

  it.each(OF_COLUMNS)('in its columns has a code and a sentence: %s', (code, returned, sentence) => {
    const declared = new Map(['a', 'b'].map((name) => [name, { type: 'String' }]));
    const described = returned.split(',').map((column) => {
      const [name = '', type = 'String'] = column.split(' ');
      return { name, type };
    });
    const found = compareColumns(declared, described).map((one) => [one.code, one.problem]);
    expect(found).toEqual(only(code, sentence));
  });

  it.each(OF_FOLDERS)(
    'in its folder has a code, a place and a sentence: %s',
    async (code, files, sentence) => {
      await withTemporaryFolder(async (project) => {
        const folder = path.join(project, 'endpoints');
        await writeFiles(folder, files);
        const { problems } = await new EndpointLoader(folder).load();
        const found = problems.map((one) => [
          one.code,
          textOfProblem(one)
            .replace(folder, 'endpoints')
            .replace(/\n {4}[^]*/, ''),
        ]);
        expect(found).toEqual(only(code, sentence));
      });
    },
  );

  it('is provoked for each code', () => {
    const provoked = new Set<ProblemCode>(
      [ROWS, PIECE_ROWS, SELECT_ROWS, OF_CHOICES, OF_COLUMNS, OF_FOLDERS].flat().map(([code]) => code),
    );
    expect(PROBLEM_CODES.filter((code) => !ELSEWHERE.has(code) && !provoked.has(code))).toEqual([]);
    expect([...ELSEWHERE].filter((code) => provoked.has(code))).toEqual([]);
  });
});
