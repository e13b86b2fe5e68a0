import { createGunzip, type Gunzip } from 'node:zlib';

import { InputFailure } from './load-error.js';

/** Gzip expands at most about a thousandfold, so a step decodes at most about 16 MB. */
const STEP_BYTES = 16 * 1024;

/**
 * Decompresses gzip data with one or more members. Unlike a pipe through zlib's stream, which drops its buffer on
 * failure, this yields decoded data before it throws: all of it if the data ends too early, and all but the last 16
 * KB (which zlib holds back) before damaged data.
 *
 * @throws InputFailure when the data is damaged or ends too early.
 */
export async function* gunzip(compressed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const decoder = createGunzip();
  const decoded: Buffer[] = [];
  const state: { failure?: Error; ended?: boolean } = {};
  decoder.on('data', (chunk: Buffer) => decoded.push(chunk));
  decoder.on('error', (failure) => (state.failure = failure));
  decoder.on('end', () => (state.ended = true));
  try {
    for await (const chunk of compressed) {
      for (let start = 0; start < chunk.length && !isComplete(state); start += STEP_BYTES) {
        await settled(decoder, (done) => decoder.write(chunk.subarray(start, start + STEP_BYTES), done));
        yield* decoded.splice(0);
      }
      if (isComplete(state)) break;
    }
    if (!isComplete(state)) await settled(decoder, () => decoder.end());
    yield* decoded.splice(0);
    if (state.failure) throw new InputFailure(describe(state.failure), { cause: state.failure });
  } finally {
    decoder.destroy();
  }
}

/** Zero padding after the last member, as on tapes, ends the data before the input ends. */
function isComplete(state: { readonly failure?: Error; readonly ended?: boolean }): boolean {
  return state.failure !== undefined || state.ended === true;
}

/** Waits until the decoder has finished a step, has ended or has failed. */
function settled(decoder: Gunzip, step: (done: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      decoder.off('end', done).off('error', done);
      resolve();
    };
    decoder.once('end', done).once('error', done);
    step(done);
  });
}

function describe(failure: Error): string {
  if ('code' in failure && failure.code === 'Z_BUF_ERROR') return 'the gzip data ends too early';
  return `the gzip data is damaged (${failure.message}): the lines before may be wrong`;
}
