import { open, type FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';

import { codeOf, InputFailure, LoadError, messageOf } from './load-error.js';
import { copyToTemporaryFile } from './temporary-copy.js';

/** Big enough to keep the number of reads low, small beside a batch. */
const READ_BYTES = 256 * 1024;

/** Where the bytes of a load come from. */
export interface ByteSource {
  /** Bytes in all; undefined where that can't be known before the end. */
  readonly size: number | undefined;
  /** The bytes from the beginning. A second call is allowed only where the source was opened to be read twice. */
  readonly read: () => AsyncIterable<Buffer>;
  readonly close: () => Promise<void>;
}

export interface SourceRequest {
  /** A path, or `-` for standard input. */
  readonly source: string;
  readonly stdin: Readable;
  /** Whether the bytes are needed twice: what can't be read again is then copied to a temporary file first. */
  readonly readTwice: boolean;
  /** Told the length of each piece that is copied. */
  readonly onCopied: (bytes: number) => void;
}

/**
 * Opens a file or standard input.
 *
 * @throws LoadError where there is no such file, it may not be read, or it can't be copied.
 */
export async function openSource(request: SourceRequest): Promise<ByteSource> {
  if (request.source === '-') return openStream(request, request.stdin);
  const handle = await openFile(request.source);
  try {
    const stat = await handle.stat();
    if (stat.isDirectory()) throw new LoadError(`${request.source} is a folder`);
    if (stat.isFile()) return fileSource(handle, stat.size);
    // A pipe with a name, such as bash's <(…): its bytes come once, like those of standard input.
    const stream = await openStream(request, handle.createReadStream({ autoClose: false }));
    return { ...stream, close: () => closeAll(stream, handle) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Passes bytes on, counting them, and gives a failed read the name under which a load knows it. */
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

async function openFile(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'r');
  } catch (cause) {
    const reason = codeOf(cause) === 'ENOENT' ? 'there is no such file' : messageOf(cause);
    throw new LoadError(`${file} can’t be opened: ${reason}`, { cause });
  }
}

async function openStream(request: SourceRequest, stream: Readable): Promise<ByteSource> {
  if (!request.readTwice) {
    return { size: undefined, read: () => stream, close: () => Promise.resolve() };
  }
  const handle = await copyToTemporaryFile(metered(stream, request.onCopied));
  return fileSource(handle, (await handle.stat()).size);
}

/** Both readings end at the size of the beginning: a file that grows in between can't bring rows newer than the newest. */
function fileSource(handle: FileHandle, size: number): ByteSource {
  return {
    size,
    read: () =>
      handle.createReadStream({
        start: 0,
        ...(size > 0 && { end: size - 1 }),
        autoClose: false,
        highWaterMark: READ_BYTES,
      }),
    close: () => handle.close(),
  };
}

async function closeAll(source: ByteSource, handle: FileHandle): Promise<void> {
  await source.close();
  await handle.close();
}
