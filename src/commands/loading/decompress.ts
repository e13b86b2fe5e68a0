import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

import { codeOf, InputFailure, messageOf } from './load-error.js';
import { peek } from './peek.js';

/** The first byte of gzip's magic number: a control character, with which no text begins. */
const GZIP = 0x1f;

/**
 * Passes bytes through, or decompresses them if they start as gzip does; the file name is ignored.
 *
 * @throws InputFailure when gzip data is damaged or ends too early.
 */
export async function* decompress(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { head, bytes: whole } = await peek(bytes, 1);
  yield* head[0] === GZIP ? gunzip(whole) : whole;
}

/** All members. Some kilobytes before data that is damaged or missing are not decoded. */
async function* gunzip(compressed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  // Its error is thrown by reading it.
  const decoded = pipeline(Readable.from(compressed), createGunzip(), () => undefined);
  try {
    yield* decoded as AsyncIterable<Buffer>;
  } catch (cause) {
    const code = codeOf(cause);
    if (code?.startsWith('Z_') !== true) throw cause;
    const reason =
      code === 'Z_BUF_ERROR'
        ? 'the gzip data ends too early'
        : `the gzip data is damaged (${messageOf(cause)}): the lines before may be wrong`;
    throw new InputFailure(reason, { cause });
  }
}
