import { gunzip } from './gunzip.js';

/**
 * Passes bytes through, or decompresses them if they start with gzip's magic number; the file name is ignored.
 *
 * @throws InputFailure when gzip data is damaged or ends too early.
 */
export async function* decompress(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const iterator = bytes[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.length < 2) {
    const step = await iterator.next();
    if (step.done === true) break;
    head = Buffer.concat([head, step.value]);
  }
  const whole = rejoined(head, iterator);
  yield* head[0] === 0x1f && head[1] === 0x8b ? gunzip(whole) : whole;
}

async function* rejoined(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (head.length > 0) yield head;
    for (let step = await rest.next(); step.done !== true; step = await rest.next()) yield step.value;
  } finally {
    await rest.return?.();
  }
}
