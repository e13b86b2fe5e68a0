import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { EndpointDefinitionError } from './definition-error.js';
import { problemsOfSqlFile } from './sql-file/sql-file-problems.js';

/**
 * Describes why an endpoint file could not be loaded.
 *
 * @param folder absolute.
 * @param file relative to the folder.
 * @returns a line for each problem: the file, the line number where it is known, and the problem.
 */
export async function problemsIn(folder: string, file: string, error: unknown): Promise<readonly string[]> {
  const { message, stack } = textsOf(error);
  const place = placeIn(folder, `${message}\n${stack}`);
  const at = (line: number | undefined): string =>
    path.join(path.basename(folder), file) + (line === undefined ? '' : `:${line}`);
  const source = await readFile(path.join(folder, file), 'utf8').catch(() => '');
  const ofSql = file.endsWith('.sql') ? problemsOfSqlFile(error, source) : undefined;
  if (ofSql) return ofSql.map((problem) => `${at(undefined)}:${problem}`);
  if (error instanceof EndpointDefinitionError) {
    const start = place?.file === file ? place.line : 1;
    const thrown = placeIn(folder, String((error.cause as Partial<Error> | undefined)?.stack));
    const lineOf = (keys: readonly string[]): number =>
      keys[0] === 'build' && thrown?.file === file ? thrown.line : lineOfKey(source, start, keys);
    return error.problems.map(({ path: keys, problem }) => `${at(lineOf(keys))}: ${problem}`);
  }
  const text = textOf(message);
  if (place === undefined || place.file === file) return [`${at(place?.line)}: ${text}`];
  return [`${at(undefined)}: ${path.join(path.basename(folder), place.file)}:${place.line}: ${text}`];
}

/** Not by `instanceof Error`: the loader may run the file in another realm. */
function textsOf(error: unknown): { readonly message: string; readonly stack: string } {
  const { message = String(error), stack = '' } = (error ?? {}) as Partial<Error>;
  return { message, stack };
}

/** The first place in the folder that a message or a stack names. */
function placeIn(folder: string, text: string): { readonly file: string; readonly line: number } | undefined {
  const start = folder + path.sep;
  for (const piece of text.split(start).slice(1)) {
    const [, file, line] = /^([^\n]+?):(\d+):\d+/.exec(piece) ?? [];
    if (file !== undefined) return { file, line: Number(line) };
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
