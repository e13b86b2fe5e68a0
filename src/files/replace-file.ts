import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';

/**
 * Writes a file that gets its name only when it is complete. On failure an existing file of this name stays unchanged. A device or
 * a pipe is written to directly. The incomplete file must not exist before, so that nobody can have put a link in its place.
 *
 * @param write writes to the stream, and ends it.
 * @param mode permissions of the file; undefined: those that the process gives new files.
 */
export async function writeWhole(
  file: string,
  write: (target: Writable) => Promise<void>,
  mode: number | undefined,
): Promise<void> {
  if (await isSpecialFile(file)) {
    await write(createWriteStream(file));
    return;
  }
  const unfinished = `${file}.${randomBytes(6).toString('hex')}.part`;
  const handle = await open(unfinished, 'wx', mode === undefined ? undefined : 0o600);
  try {
    if (mode !== undefined) await handle.chmod(mode);
    await write(handle.createWriteStream({ flush: true })).finally(() => handle.close());
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/**
 * Writes a whole file, or leaves the file unchanged.
 *
 * @param mode permissions of the file; absent: those that the process gives new files.
 * @throws Error where the file can't be written.
 */
export async function replaceFile(file: string, text: string, mode?: number): Promise<void> {
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeWhole(file, (target) => finished(target.end(text)), mode);
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(`${file} cannot be written, and stays as it is: ${message}`, { cause });
  }
}

/** Whether a path is a device or a pipe, which must be written to instead of replaced. */
async function isSpecialFile(file: string): Promise<boolean> {
  try {
    return !(await stat(file)).isFile();
  } catch {
    return false;
  }
}
