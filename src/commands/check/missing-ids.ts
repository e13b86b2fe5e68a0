import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { writeId } from './write-columns.js';
import type { FileProblem } from '../../endpoint/file-problems.js';

/**
 * Writes an id into each `.sql` endpoint file whose header has none.
 *
 * @param problems problems of the files that could not be loaded.
 * @param onWritten called with the file's path in messages.
 * @returns the problems of the other files. A changed file is loaded again.
 */
export async function writeMissingIds(
  folder: string,
  problems: readonly FileProblem[],
  onWritten: (file: string, id: string) => void,
): Promise<readonly FileProblem[]> {
  const written = new Set<string>();
  for (const file of new Set(problems.map((problem) => problem.file))) {
    if (!file?.endsWith('.sql')) continue;
    const id = randomUUID();
    const absolute = path.resolve(folder, '..', file);
    // Where the id cannot be written, the problem of the file contains the text to write.
    const isWritten = await readFile(absolute, 'utf8')
      .then((source) => writeId({ path: absolute, source }, id))
      .catch(() => false);
    if (!isWritten) continue;
    written.add(file);
    onWritten(file, id);
  }
  return problems.filter(({ file }) => file === undefined || !written.has(file));
}
