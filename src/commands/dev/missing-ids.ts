import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { writeId } from '../check/write-columns.js';
import type { FileProblem } from '../../endpoint/file-problems.js';

/** Writes an id into endpoint files in SQL whose header has none. */
export class MissingIds {
  /** @param onWritten called with the file as messages name it. */
  constructor(
    private readonly folder: string,
    private readonly onWritten: (file: string, id: string) => void,
  ) {}

  /**
   * @param problems of the files that could not be loaded.
   * @returns those of the others: a file that was changed is loaded again.
   */
  async write(problems: readonly FileProblem[]): Promise<readonly FileProblem[]> {
    const invalid = new Set(problems.flatMap(({ file }) => (file?.endsWith('.sql') ? [file] : [])));
    for (const file of invalid) if (!(await this.writeTo(file))) invalid.delete(file);
    return problems.filter(({ file }) => file === undefined || !invalid.has(file));
  }

  private async writeTo(shown: string): Promise<boolean> {
    const file = path.resolve(this.folder, '..', shown);
    const id = randomUUID();
    try {
      if (!(await writeId({ path: file, source: await readFile(file, 'utf8') }, id))) return false;
    } catch {
      // The problem of the file says what to write.
      return false;
    }
    this.onWritten(shown, id);
    return true;
  }
}
