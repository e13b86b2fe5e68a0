import path from 'node:path';

import { EndpointDefinitionError } from './definition-error.js';
import { readSource } from './endpoint-source.js';
import { lineExcerpt } from './excerpt.js';
import type { SqlFile } from './sql-file/parse-sql-file.js';
import type { SelectProblem } from './sql-file/select/select-text.js';
import { SqlFileError } from './sql-file/sql-file-error.js';
import { problemsOfSqlFile } from './sql-file/sql-file-problems.js';
import { problem, ProblemError, type Problem } from './problems.js';

/** A problem of an endpoint file, or of all of them. */
export interface FileProblem extends Problem {
  /** Path that begins with the folder's own name: `endpoints/logs/errors.sql`; absent where the problem has no single file. */
  readonly file?: string;
  /** Line, from 1; absent where the place is unknown. */
  readonly line?: number;
  /** Column, from 1; absent where only the line is known. */
  readonly column?: number;
  /** The line with carets below the place, indented. */
  readonly excerpt?: string;
  /** Set where somebody seems to be writing the file: it is empty, or its header has no end. */
  readonly unfinished?: 'empty' | 'half';
}

/** A problem as text: its place, its message, then the excerpt. */
export function textOfProblem(of: Omit<FileProblem, 'code'>): string {
  const { file, line, column, problem: sentence, excerpt } = of;
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  return `${place === '' ? '' : `${place}: `}${sentence}${excerpt === undefined ? '' : `\n${excerpt}`}`;
}

/** A problem with a text before its message, for example where the problem was found. */
export const withPrefix = (prefix: string, of: FileProblem): FileProblem => ({
  ...of,
  problem: `${prefix}: ${of.problem}`,
});

/** A problem of a `.sql` file with its path, line and column, and an excerpt with carets. */
export function problemInFile(file: SqlFile, found: SelectProblem): FileProblem {
  const { code, problem: sentence } = found;
  return { code, problem: sentence, ...sqlProblems(file, new SqlFileError([found]))?.[0] };
}

/** The problems of a text that is not a valid `.sql` file; undefined for an error of another kind. */
export const sqlProblems = (
  { shownPath, source }: Pick<SqlFile, 'shownPath' | 'source'>,
  error: unknown,
): readonly FileProblem[] | undefined =>
  problemsOfSqlFile(error, source)?.map((placed) => ({ file: shownPath, ...placed }));

/**
 * Describes why an endpoint file could not be loaded.
 *
 * @param folder absolute.
 * @param file relative to the folder.
 */
export async function problemsIn(
  folder: string,
  file: string,
  error: unknown,
): Promise<readonly FileProblem[]> {
  const shown = path.join(path.basename(folder), file);
  const source = await readSource(folder, file).then(String, () => '');
  const ofSql = file.endsWith('.sql') ? sqlProblems({ shownPath: shown, source }, error) : undefined;
  if (ofSql) return ofSql;
  const { message, stack } = textsOf(error);
  const place = placeIn(folder, `${message}\n${stack}`);
  if (error instanceof EndpointDefinitionError) {
    const start = place?.file === file ? place.line : 1;
    const thrown = placeIn(folder, String((error.cause as Partial<Error> | undefined)?.stack));
    const lineOf = (keys: readonly string[]): number =>
      keys[0] === 'build' && thrown?.file === file ? thrown.line : lineOfKey(source, start, keys);
    return error.problems.map(({ path: keys, ...found }) => {
      const line = lineOf(keys);
      return { file: shown, line, ...found, ...excerptAt(source, line) };
    });
  }
  const text = textOf(message);
  const found = error instanceof ProblemError ? error.found : problem('FILE_FAILED', text);
  if (place === undefined) return [{ file: shown, ...found }];
  const { line } = place;
  // Only the parser's columns, from 0, are those of the file; others are columns of the translation.
  const column = message.startsWith('ParseError') ? { column: place.column + 1 } : {};
  if (place.file === file) {
    return [{ file: shown, line, ...column, ...found, ...excerptAt(source, line, column.column) }];
  }
  const imported = path.join(path.basename(folder), place.file);
  return [{ file: shown, ...problem('FILE_FAILED', `${imported}:${line}: ${text}`) }];
}

/** The excerpt at a column, or of a whole line without its indentation; nothing where the file has no such line. */
function excerptAt(source: string, line: number, column?: number): Pick<FileProblem, 'excerpt'> {
  const text = source.split('\n')[line - 1]?.trimEnd() ?? '';
  if (text === '') return {};
  const first = column === undefined ? text.length - text.trimStart().length : column - 1;
  return { excerpt: lineExcerpt(text, { start: first, end: column ?? text.length }) };
}

/** Not `instanceof Error`, because the loader may run the file in another realm. */
function textsOf(error: unknown): { readonly message: string; readonly stack: string } {
  const { message = String(error), stack = '' } = (error ?? {}) as Partial<Error>;
  return { message, stack };
}

interface PlaceInFolder {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The first place in the folder that a message or a stack names. */
function placeIn(folder: string, text: string): PlaceInFolder | undefined {
  const start = folder + path.sep;
  for (const piece of text.split(start).slice(1)) {
    const [, file, line, column] = /^([^\n]+?):(\d+):(\d+)/.exec(piece) ?? [];
    if (file !== undefined) return { file, line: Number(line), column: Number(column) };
  }
  return undefined;
}

/**
 * The line of a key of the definition, found by its text: each key of the path after the one before it. A key that is
 * missing or written in another way has the line of the last key that was found, or of the call of `defineEndpoint`.
 */
function lineOfKey(source: string, startLine: number, keys: readonly string[]): number {
  const lines = source.split('\n');
  let found = startLine - 1;
  for (const key of keys) {
    const pattern = new RegExp(`(?:^|[\\s{,'"])${escaped(key)}['"]?\\s*(?:[:,(}]|$)`);
    const next = lines.findIndex((line, index) => index >= found && pattern.test(line));
    if (next === -1) break;
    found = next;
  }
  return found + 1;
}

/** The message without the stack or the path that a loader appends. */
function textOf(message: string): string {
  return (message.split('\n', 1)[0] ?? '').replace(/^ParseError: (.*?)\s*$/, 'syntax error: $1');
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
