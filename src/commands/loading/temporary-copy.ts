import { randomUUID } from 'node:crypto';
import { open, unlink, writeFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { LoadError, messageOf } from './load-error.js';

/**
 * Copies bytes into a temporary file, so that they can be read twice. The file is already unlinked when this returns:
 * it disappears with its handle, even if the process is killed.
 *
 * @throws LoadError when the temporary folder cannot store them.
 */
export async function copyToTemporaryFile(bytes: AsyncIterable<Buffer>): Promise<FileHandle> {
  const file = path.join(tmpdir(), `querygate-load-${randomUUID()}`);
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, 'wx+', 0o600);
    await unlink(file);
    await writeFile(handle, bytes);
    return handle;
  } catch (cause) {
    await handle?.close();
    const message = `the input cannot be copied to ${tmpdir()}: ${messageOf(cause)}`;
    throw new LoadError(message, { cause });
  }
}
