import { lstat, readFile } from 'node:fs/promises';

import { replaceFile } from '../files/replace-file.js';
import { columnsText, withColumns } from './columns-text.js';
import type { DescribedColumn } from './compare-columns.js';
import type { SqlFile } from './sql-file.js';

const WRITABLE = 0o222;

/**
 * Writes columns into the header of a `.sql` file that has none. Every other byte and the permissions of the file stay.
 *
 * @throws Error that says why the file stays as it is, with the text to write into it.
 */
export async function writeColumns(file: SqlFile, columns: readonly DescribedColumn[]): Promise<void> {
  const text = withColumns(file.source, columns);
  const { mode, problem } = await problemOf(file);
  const reason = problem ?? (text === undefined ? 'nothing can be added to its header' : undefined);
  if (reason !== undefined || text === undefined) {
    throw new Error(
      `the header of ${file.shownPath} has no columns, and ${reason ?? ''}. Write them into it:\n${columnsText(columns)}`,
    );
  }
  await replaceFile(file.path, text, mode);
}

async function problemOf({
  path,
  source,
}: SqlFile): Promise<{ readonly mode: number; readonly problem?: string }> {
  const stats = await lstat(path);
  const mode = stats.mode & 0o7777;
  if (stats.isSymbolicLink()) return { mode, problem: 'the file is a link, which is not replaced' };
  if ((mode & WRITABLE) === 0) return { mode, problem: 'the file is read-only' };
  // Bytes that are no UTF-8 would be lost, and so would a change since the file was loaded.
  const isAsLoaded = (await readFile(path)).equals(Buffer.from(source));
  return isAsLoaded ? { mode } : { mode, problem: 'the file has changed meanwhile, or is not UTF-8' };
}
