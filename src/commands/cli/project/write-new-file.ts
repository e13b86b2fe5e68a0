import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** A file of a project. */
export interface ProjectFile {
  /** Path in the project's folder, with slashes: `endpoints/orders.by-day.sql`. */
  readonly path: string;
  readonly text: string;
}

/** Whether a file was written, or one with its path exists. */
export type Written = 'created' | 'kept';

/**
 * Writes a file that does not exist yet, and creates its folders. Never changes an existing file.
 *
 * @throws Error that names the file and the reason why it cannot be written.
 */
export async function writeNewFile(folder: string, { path: name, text }: ProjectFile): Promise<Written> {
  const file = path.join(folder, name);
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx' });
    return 'created';
  } catch (cause) {
    const { code, syscall, message } = cause as NodeJS.ErrnoException;
    // A file in the place of a folder has this code too.
    if (code === 'EEXIST' && syscall === 'open') return 'kept';
    throw new Error(`${file} cannot be written: ${message}`, { cause });
  }
}
