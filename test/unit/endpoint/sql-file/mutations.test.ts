import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { Endpoint } from '../../../../src/endpoint/endpoint.js';
import { renderQuery } from '../../../../src/endpoint/render.js';
import { readSqlEndpoint } from '../../../support/read-sql-endpoint.js';
import { SqlFileError } from '../../../../src/endpoint/sql-file/sql-file-error.js';
import { problemsOfSqlFile } from '../../../../src/endpoint/sql-file/sql-file-problems.js';
import { tokenize } from '../../../../src/endpoint/sql-file/select/tokens.js';
import { sqlEndpointFile } from '../../../support/sql-endpoint-file.js';

const IN_SQL = new URL('../../../support/in-sql', import.meta.url).pathname;

const BUILDERS_IN_SQL = readdirSync(IN_SQL).map((file) => readFileSync(path.join(IN_SQL, file), 'utf8'));

/** Small, because each of the 4,000 runs reads one. */
const GOOD_FILES = [
  sqlEndpointFile(
    'visits.by-city',
    [
      'columns: { city: String, visits: UInt64 }',
      'parameters: { city: { kind: string, description: City. } }',
    ],
    "SELECT city, count() AS visits FROM visits WHERE note != '@city [[' [[ AND city = @city ]] GROUP BY city;",
  ),
  sqlEndpointFile(
    'cities.by-name',
    [
      `parameters:
  since: { kind: timestamp, default: now-7d, relativeStep: 5m, description: Since. }
  cities: { kind: string-list, description: Cities. }
  city: { kind: string, description: City. }
  town: { kind: string, description: Town. }
  least: { kind: integer, minimum: 1, maximum: 200, description: Least. }
  by: { kind: enum, choices: [city, doc], default: city, description: Order. }
columns: { city: String, visits: UInt8, lists: Array(Array(UInt8)), doc: String }`,
    ],
    `WITH recent AS (SELECT * FROM visits WHERE at > @since [[ AND city IN (@cities) ]]), 'it''s @not' AS note
SELECT city, [[ {least:UInt8} AS visits, ]] [ [1], [2] ] AS lists, $$ [[ @neither ]] $$ AS doc
FROM recent [[ LEFT JOIN towns USING (city, @town) ]]
WHERE true [[ AND (city = @city [[ OR visits BETWEEN @least AND 9 ]]) ]] /* [[ @no ]] */
ORDER BY {by:Identifier} DESC [[, x[y[1]] = @city ]]
[[ UNION ALL SELECT @city, 1, [ [1]], '' ]];`,
  ),
];

/** Pieces of text that mean something in such a file. */
const SNIPPETS = [
  ...[
    '[[',
    ']]',
    '@',
    '@@',
    '@city',
    '{',
    '}',
    '{city:String}',
    "'",
    '"',
    '`',
    '$$',
    '/*',
    '*/',
    '--',
    '#',
    ';',
  ],
  ...[
    '(',
    ')',
    '[',
    ']',
    ',',
    ' AND ',
    ' OR ',
    ' UNION ALL ',
    ' SETTINGS a = 1',
    ' FORMAT CSV',
    '\n',
    ':',
    '- ',
    '\t',
  ],
  ...[
    'INSERT INTO t ',
    ' SELECT ',
    '\\',
    '\u{0}',
    '\u{FEFF}',
    'É',
    '😀',
    '\r',
    '? ',
    '&a ',
    '*a',
    '<<: ',
    '!!str ',
    '|',
  ],
];

const mutations = fc.array(
  fc.oneof(
    fc.record({ at: fc.nat(), insert: fc.constantFrom(...SNIPPETS), remove: fc.constant(0) }),
    fc.record({ at: fc.nat(), insert: fc.constant(''), remove: fc.integer({ min: 1, max: 12 }) }),
    fc.record({ at: fc.nat(), insert: fc.constantFrom(...SNIPPETS), remove: fc.integer({ min: 1, max: 3 }) }),
  ),
  { minLength: 1, maxLength: 3 },
);

/** The first file takes a quarter of the time of the second, which has everything. */
const goodFile = fc.oneof(
  ...GOOD_FILES.map((source, index) => ({ arbitrary: fc.constant(source), weight: index === 0 ? 5 : 1 })),
);

function mutated(
  source: string,
  changes: typeof mutations extends fc.Arbitrary<infer T> ? T : never,
): string {
  return changes.reduce((text, { at, insert, remove }) => {
    // Twice as often in the SELECT as anywhere, because most changes of a header are invalid.
    const from = at % 3 === 0 ? 0 : Math.max(0, text.indexOf('*/') + 2);
    const start = from + (at % (text.length + 1 - from));
    return text.slice(0, start) + insert + text.slice(start + remove);
  }, source);
}

/** The significant tokens of a text, without a final semicolon. */
function significant(text: string): readonly string[] {
  const tokens = tokenize(text)
    .filter(({ kind }) => kind !== 'space' && kind !== 'comment')
    .map(({ start, end }) => text.slice(start, end));
  return tokens.at(-1) === ';' ? tokens.slice(0, -1) : tokens;
}

/** The query with every part, placeholders as they stand in a file. */
function everything({ query }: Endpoint): string {
  const text = renderQuery(query, {
    reference: ({ name, type }) => (name === 'now' ? '@now' : `{${name}:${type}}`),
    filter: ({ condition }, render) => `[[${render(condition)}]]`,
    choice: () => {
      throw new Error('a file has no choices');
    },
    cap: '',
    setting: () => undefined,
    printsUnusedParts: true,
  });
  const wrapped = /^SELECT \* FROM \(\n([\s\S]*)\n\)$/.exec(text);
  return wrapped?.[1] ?? text;
}

/** Tokens with `@name` written with the type that it is bound as, so that both forms of a placeholder are equal. */
function withTypes(tokens: readonly string[], { parameters }: Endpoint): string {
  const written: string[] = [];
  for (const [index, token] of tokens.entries()) {
    const type = tokens[index - 1] === '@' ? parameters.get(token)?.type : undefined;
    if (type === undefined) {
      written.push(token);
    } else {
      written.pop();
      written.push(...significant(`{${token}:${type}}`));
    }
  }
  return written.join(' ');
}

describe('a file in SQL with random changes', () => {
  it('is rejected with places in the file, or becomes a query of exactly its tokens; 4,000 times', () => {
    let accepted = 0;
    fc.assert(
      fc.property(goodFile, mutations, (good, changes) => {
        const source = mutated(good, changes);
        try {
          const endpoint = readSqlEndpoint(source);
          accepted += 1;
          const select = source.slice(source.indexOf('*/') + 2);
          const [sent, inFile] = [everything(endpoint), select].map((text) =>
            withTypes(significant(text), endpoint),
          );
          return sent === inFile;
        } catch (error) {
          if (!(error instanceof SqlFileError)) throw error;
          const described = problemsOfSqlFile(error, source) ?? [];
          const isInFile = error.problems.every(
            ({ start, end }) => start >= 0 && start <= end && end <= source.length + 1,
          );
          return (
            isInFile && described.length > 0 && described.every(({ line, column }) => line > 0 && column > 0)
          );
        }
      }),
      { numRuns: 4_000, seed: 16 },
    );
    expect(accepted).toBeGreaterThan(400);
  }, 120_000);

  it.each([...GOOD_FILES, ...BUILDERS_IN_SQL].map((source, index) => [index, source]))(
    'is accepted without them: file %i',
    (_index, source) => {
      expect(() => readSqlEndpoint(source)).not.toThrow();
    },
  );
});
