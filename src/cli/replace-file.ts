import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Writes a whole file, or leaves it as it is. @throws Error where the file can't be written. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const unfinished = `${file}.${process.pid}.part`;
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(unfinished, text);
    await rename(unfinished, file);
  } catch (cause) {
    await rm(unfinished, { force: true });
    const { message } = cause as Error;
    throw new Error(`${file} cannot be written, and stays as it is: ${message}`, { cause });
  }
}
