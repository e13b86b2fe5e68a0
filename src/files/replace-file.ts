import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Writes a whole file, or leaves it as it is.
 *
 * @param mode permissions of the file; the process decides where absent.
 * @throws Error where the file can't be written.
 */
export async function replaceFile(file: string, text: string, mode?: number): Promise<void> {
  const unfinished = `${file}.${process.pid}.part`;
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(unfinished, text);
    if (mode !== undefined) await chmod(unfinished, mode);
    await rename(unfinished, file);
  } catch (cause) {
    await rm(unfinished, { force: true });
    const { message } = cause as Error;
    throw new Error(`${file} cannot be written, and stays as it is: ${message}`, { cause });
  }
}
