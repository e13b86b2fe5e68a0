import type { FileProblem } from '../../endpoint/file-problems.js';
import type { SqlFile } from '../../endpoint/sql-file/parse-sql-file.js';
import type { SelectProblem } from '../../endpoint/sql-file/select/select-text.js';
import { SqlFileError } from '../../endpoint/sql-file/sql-file-error.js';
import { problemsOfSqlFile } from '../../endpoint/sql-file/sql-file-problems.js';

/** A problem of a file with its path, line and column, and an excerpt with carets. */
export function problemInFile(file: SqlFile, problem: SelectProblem): FileProblem {
  const { code, problem: sentence } = problem;
  return { code, problem: sentence, ...sqlProblems(file, new SqlFileError([problem]))[0] };
}

/** The problems of a text that could not be read as a `.sql` file. @throws the error, where it is another one */
export function sqlProblems(
  { shownPath, source }: Pick<SqlFile, 'shownPath' | 'source'>,
  error: unknown,
): readonly FileProblem[] {
  const problems = problemsOfSqlFile(error, source);
  if (problems === undefined) throw error;
  return problems.map((problem) => ({ file: shownPath, ...problem }));
}
