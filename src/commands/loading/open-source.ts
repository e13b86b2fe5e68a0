import { randomUUID } from 'node:crypto';
import { open, unlink, writeFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';

import { codeOf, InputFailure, LoadError, messageOf } from './load-error.js';

/** Large enough to keep the number of reads low, small compared with a batch. */
const READ_BYTES = 256 * 1024;

/** The source of a load's bytes. */
export interface ByteSource {
  /** Total number of bytes; undefined if unknown before the end. */
  readonly size: number | undefined;
  /** The bytes from the start. Can be called again only if the source was opened with `readTwice`. */
  readonly read: () => AsyncIterable<Buffer>;
  readonly close: () => Promise<void>;
}

export interface SourceRequest {
  /** A path, or `-` for standard input. */
  readonly source: string;
  readonly stdin: Readable;
  /** Whether the bytes are read more than once; a stream is then first copied to a temporary file. */
  readonly readTwice: boolean;
  /** Called with the length of each copied chunk. */
  readonly onCopied: (bytes: number) => void;
}

/**
 * Opens a file or standard input.
 *
 * @throws LoadError when the file does not exist, cannot be read, or cannot be copied.
 */
export async function openSource(request: SourceRequest): Promise<ByteSource> {
  const { source, stdin } = request;
  if (source === '-') return openStream(request, stdin);
  const handle = await open(source, 'r').catch((cause: unknown) => {
    const reason = codeOf(cause) === 'ENOENT' ? 'the file does not exist' : messageOf(cause);
    throw new LoadError(`${source} cannot be opened: ${reason}`, { cause });
  });
  try {
    const stat = await handle.stat();
    if (stat.isDirectory()) throw new LoadError(`${source} is a folder`);
    // A named pipe, such as bash's <(…), can be read only once, like standard input. The stream closes the handle.
    return stat.isFile()
      ? fileSource(handle, stat.size)
      : await openStream(request, handle.createReadStream());
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Counts bytes as they pass, and wraps a read error in an InputFailure. */
export async function* metered(
  bytes: AsyncIterable<Buffer>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of bytes) {
      onBytes(chunk.length);
      yield chunk;
    }
  } catch (cause) {
    throw new InputFailure(messageOf(cause), { cause });
  }
}

async function openStream({ readTwice, onCopied }: SourceRequest, stream: Readable): Promise<ByteSource> {
  if (!readTwice) {
    const close = (): Promise<void> => {
      stream.destroy();
      return Promise.resolve();
    };
    return { size: undefined, read: () => stream, close };
  }
  const handle = await copyToTemporaryFile(metered(stream, onCopied));
  return fileSource(handle, (await handle.stat()).size);
}

/** The file is unlinked at once: it disappears with its handle, even if the process is killed. */
async function copyToTemporaryFile(bytes: AsyncIterable<Buffer>): Promise<FileHandle> {
  const file = path.join(tmpdir(), `querygate-load-${randomUUID()}`);
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, 'wx+', 0o600);
    await unlink(file);
    await writeFile(handle, bytes);
    return handle;
  } catch (cause) {
    await handle?.close();
    throw new LoadError(`the input cannot be copied to ${tmpdir()}: ${messageOf(cause)}`, { cause });
  }
}

/** All reads end at the initial size: a file that grows in between cannot add rows newer than the newest. */
function fileSource(handle: FileHandle, size: number): ByteSource {
  // A file of unknown size, as in /proc, has the size 0.
  const end = size > 0 ? size : Number.POSITIVE_INFINITY;
  return { size, read: () => readUpTo(handle, end), close: () => handle.close() };
}

/** Reads from the start. Not a stream of the handle: one that is not read to its end closes the handle. */
async function* readUpTo(handle: FileHandle, end: number): AsyncGenerator<Buffer> {
  for (let position = 0; position < end;) {
    const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, end - position));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
