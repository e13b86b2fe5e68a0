import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

import { codeOf, InputFailure, messageOf } from './load-error.js';

/** The first byte of gzip's magic number: a control character, with which no text begins. */
const GZIP = 0x1f;

/**
 * Passes bytes through, or decompresses them if they start as gzip does; the file name is ignored.
 *
 * @throws InputFailure when gzip data is damaged or ends too early.
 */
export async function* decompress(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const iterator = bytes[Symbol.asyncIterator]();
  const first = await iterator.next();
  const whole = rejoined(first, iterator);
  yield* first.done !== true && first.value[0] === GZIP ? gunzip(whole) : whole;
}

async function* rejoined(
  first: IteratorResult<Buffer, unknown>,
  rest: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer> {
  try {
    for (let step = first; step.done !== true; step = await rest.next()) yield step.value;
  } finally {
    await rest.return?.();
  }
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
