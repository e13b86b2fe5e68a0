import { lstat, readFile } from 'node:fs/promises';

import { replaceFile } from '../../files/replace-file.js';
import { columnsText, withColumns, withId } from './columns-text.js';
import type { ResultColumn } from '../../gateway/formats/format.js';
import type { SqlFile } from '../../endpoint/sql-file/parse-sql-file.js';

const WRITABLE = 0o222;

/**
 * Writes columns into the header of a `.sql` file that has none. Preserves every other byte and the permissions of the file.
 *
 * @throws Error with the reason why the file was not changed, and with the text to write into it.
 */
export async function writeColumns(file: SqlFile, columns: readonly ResultColumn[]): Promise<void> {
  const reason = await replaceText(file, withColumns(file.source, columns));
  if (reason === undefined) return;
  throw new Error(
    `the header of ${file.shownPath} has no columns, and ${reason}. Write them into it:\n${columnsText(columns)}`,
  );
}

/**
 * Writes an id into the header of a `.sql` file that has none, before its name.
 *
 * @returns whether the id was written: false for a file that cannot or must not be changed.
 */
export async function writeId(file: SourceFile, id: string): Promise<boolean> {
  return (await replaceText(file, withId(file.source, id))) === undefined;
}

/** A file with the text that was read. */
type SourceFile = Pick<SqlFile, 'path' | 'source'>;

/** @returns why the file was not changed */
async function replaceText(file: SourceFile, text: string | undefined): Promise<string | undefined> {
  const { mode, problem } = await problemOf(file);
  if (problem !== undefined || text === undefined) return problem ?? 'nothing can be added to its header';
  await replaceFile(file.path, text, mode);
  return undefined;
}

async function problemOf({
  path,
  source,
}: SourceFile): Promise<{ readonly mode: number; readonly problem?: string }> {
  const stats = await lstat(path);
  const mode = stats.mode & 0o7777;
  if (stats.isSymbolicLink()) return { mode, problem: 'the file is a link, which is not replaced' };
  if ((mode & WRITABLE) === 0) return { mode, problem: 'the file is read-only' };
  // Does not overwrite bytes that are not UTF-8, or a change since the file was loaded, because both would be lost.
  const isAsLoaded = (await readFile(path)).equals(Buffer.from(source));
  return isAsLoaded ? { mode } : { mode, problem: 'the file has changed meanwhile, or is not UTF-8' };
}
