import { readSqlEndpoint } from './read-sql-endpoint.js';
import { problemsOfSqlFile, type PlacedProblem } from '../../src/endpoint/sql-file/sql-file-problems.js';

/** The problems of the text of a `.sql` file; none where it is valid. */
export function problemsOfSql(source: string): readonly PlacedProblem[] {
  try {
    readSqlEndpoint(source);
    return [];
  } catch (error) {
    const problems = problemsOfSqlFile(error, source);
    if (!problems) throw error;
    return problems;
  }
}

/** The code of each problem of a text, and its line and column. */
export const mistakesIn = (source: string): readonly string[] =>
  problemsOfSql(source).map(({ code, line, column }) => `${code} ${line}:${column}`);
