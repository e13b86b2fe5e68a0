import { problemsOfSql } from '../../../support/problems-of-sql.js';
import { sqlEndpointFile } from '../../../support/sql-endpoint-file.js';

/** A guard against endless work: with quadratic time these files take from 40 seconds to hours. */
const HANG_MS = 20_000;

const A = '  a: { kind: string, description: A. }';
const file = (select: string, columns = 'n: UInt64', parameters = A): string =>
  sqlEndpointFile('large', [`columns: { ${columns} }`, 'parameters:', parameters], select);
const repeat = (count: number, text: (n: number) => string, separator = ''): string =>
  Array.from({ length: count }, (_, n) => text(n)).join(separator);
const keys = (count: number): string =>
  repeat(count, (n) => `  p${n}: { kind: string, description: A. }`, '\n');

const problemsOf = (source: string): readonly string[] => problemsOfSql(source).map(({ code }) => code);

describe('a large endpoint file in SQL is read in linear time', () => {
  it.each<[string, string]>([
    ['parameters', file(`SELECT 1 AS n WHERE ${'@a '.repeat(66_000)}`)],
    ['optional parts', file(`SELECT 1 AS n FROM t WHERE a = @a ${'[[ AND @a ]] '.repeat(15_000)}`)],
    [
      'WITH queries',
      file(`WITH ${repeat(5000, (n) => `w${n} AS (SELECT n FROM t WHERE a = @a)`, ', ')} SELECT n FROM w0`),
    ],
    [
      'WITH queries that read each other',
      file(
        `WITH w0 AS (SELECT @a AS n), ${repeat(5000, (n) => `w${n + 1} AS (SELECT n FROM w${n})`, ', ')} SELECT n FROM w0`,
      ),
    ],
    ['columns', file(`SELECT @a, ${'a, '.repeat(80_000)} 1 AS n`)],
    ['texts', file(`SELECT @a, ${"'a', ".repeat(40_000)} 1 AS n`)],
    ['comments', file(`SELECT @a AS n ${'/* x */ '.repeat(30_000)}`)],
    ['parameters of the header', file(`SELECT ${repeat(450, (n) => `@p${n}`)} AS n`, 'n: String', keys(450))],
  ])(
    'with many %s',
    (_what, source) => {
      expect(problemsOf(source)).toEqual([]);
    },
    HANG_MS,
  );

  it.each<[string, string, string]>([
    [
      'undeclared parameters',
      file(`SELECT @a ${repeat(20_000, (n) => ` = @q${n}`)} AS n`),
      'PARAMETER_UNDECLARED',
    ],
    ['keys', file('SELECT @p0 AS n', 'n: UInt64', keys(6000)), 'HEADER_TOO_LARGE'],
    [
      'nested brackets',
      file(`SELECT ${'('.repeat(100_000)}@a${')'.repeat(100_000)} AS n`),
      'NESTING_TOO_DEEP',
    ],
    [
      'nested optional parts',
      file(`SELECT 1 AS n WHERE ${'[[ AND '.repeat(30_000)}@a${']]'.repeat(30_000)}`),
      '',
    ],
  ])(
    'with a mistake and many %s',
    (_what, source, problem) => {
      const problems = problemsOf(source);
      expect(problems.length).toBeGreaterThan(0);
      expect(problems.length).toBeLessThanOrEqual(100);
      expect(problems[0]).toContain(problem);
    },
    HANG_MS,
  );
});

describe('a header', () => {
  it('may have 500 keys, in it and in the objects in it', () => {
    // Of the file: id, name, summary, columns, n, parameters, a.
    const columns = (count: number): string => `n: UInt64, ${repeat(count, (n) => `c${n}: String`, ', ')}`;
    expect(problemsOf(file('SELECT @a AS n', columns(480)))).toEqual([]);
    expect(problemsOf(file('SELECT @a AS n', columns(500)))).toEqual(['HEADER_TOO_LARGE']);
  });

  it('must not have an alias, which can stand for any amount of text', () => {
    const source = sqlEndpointFile(
      'large',
      ['columns: { n: String }', 'parameters:', '  a: &a { kind: string, description: A. }', '  b: *a'],
      'SELECT @a + @b AS n',
    );
    expect(problemsOf(source)).toEqual(['ALIAS_NOT_SUPPORTED']);
  });
});
