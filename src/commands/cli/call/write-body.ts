import { Readable, Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { writeWhole } from '../../../files/replace-file.js';
import { Progress } from '../progress.js';
import type { CommandError } from '../exit-codes.js';

/**
 * Streams a response's body to standard output, or to a file that gets its name when it is complete.
 *
 * @throws CommandError where the response is incomplete; Error where the file can't be written.
 */
export async function writeBody(
  response: Response,
  file: string | undefined,
  options: WriteOptions,
): Promise<void> {
  if (file === undefined) {
    await copy(response, process.stdout, { ...options, end: false });
    return;
  }
  await writeWhole(file, (target) => copy(response, target, { ...options, progress: true }), 0o600);
}

/** How a body is written. */
export interface WriteOptions {
  readonly signal: AbortSignal;
  /** The error of a response that is incomplete. */
  readonly onCut: (cause: unknown) => CommandError;
}

interface CopyOptions extends WriteOptions {
  /** Whether to close the target at the end. */
  readonly end?: boolean;
  readonly progress?: boolean;
}

async function copy(
  { body, headers }: Response,
  target: Writable,
  { signal, onCut, end = true, progress: shown = false }: CopyOptions,
): Promise<void> {
  if (!body) return;
  const source = Readable.fromWeb(body);
  let sourceFailed: unknown;
  source.on('error', (error) => (sourceFailed ??= error));
  // fetch decompresses the body, so the length of a compressed body is not the number of bytes to expect.
  const length = headers.has('content-encoding') ? null : headers.get('content-length');
  const total = Number(length ?? 0);
  const progress = shown ? new Progress({ phase: 'receiving', done: 0, total }) : undefined;
  try {
    await pipeline(source, counting(total, progress), target, { end, signal });
  } catch (error) {
    // A failing target destroys the source too, so the first error decides.
    throw error === sourceFailed ? onCut(error) : error;
  } finally {
    progress?.end();
  }
}

function counting(total: number, progress: Progress | undefined): Transform {
  let received = 0;
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      received += chunk.length;
      progress?.update({
        done: received,
        total: Math.max(total, received),
        detail: `${(received / 1e6).toFixed(1)} MB`,
      });
      done(null, chunk);
    },
  });
}
