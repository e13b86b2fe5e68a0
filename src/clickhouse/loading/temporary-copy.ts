import { randomUUID } from 'node:crypto';
import { open, unlink, writeFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { LoadError, messageOf } from './load-error.js';

/**
 * Copies bytes into a temporary file, so that they can be read twice. The file has no name any more when this
 * returns: it goes with its handle, even when the process is killed.
 *
 * @throws LoadError where the temporary folder does not take them.
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
    const message = `the input can’t be copied to ${tmpdir()}: ${messageOf(cause)}`;
    throw new LoadError(message, { cause });
  }
}
