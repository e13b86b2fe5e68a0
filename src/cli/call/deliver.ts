import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable, Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { Progress } from '../progress.js';
import { unreachable } from './request-gateway.js';

/**
 * Streams an answer's body to standard output, or into a file that appears under its name when it is complete.
 *
 * @throws CommandError where the answer breaks off; Error where the file can't be written.
 */
export async function deliver(
  response: Response,
  file: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (file === undefined) {
    await copy(response, process.stdout, signal, { end: false });
    return;
  }
  if (await isNoOrdinaryFile(file)) {
    await copy(response, createWriteStream(file), signal);
    return;
  }
  const unfinished = `${file}.${process.pid}.part`;
  try {
    await copy(response, createWriteStream(unfinished), signal, { progress: true });
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

interface CopyOptions {
  /** Whether the target is closed at the end. */
  readonly end?: boolean;
  readonly progress?: boolean;
}

async function copy(
  { body, headers }: Response,
  target: Writable,
  signal: AbortSignal,
  { end = true, progress: shown = false }: CopyOptions = {},
): Promise<void> {
  if (!body) return;
  const source = Readable.fromWeb(body);
  let sourceFailed: unknown;
  source.on('error', (error) => (sourceFailed ??= error));
  // Of a compressed answer the length says nothing about what arrives here.
  const length = headers.has('content-encoding') ? null : headers.get('content-length');
  const total = Number(length ?? 0);
  const progress = shown ? new Progress({ phase: 'receiving', done: 0, total }) : undefined;
  try {
    await pipeline(source, counting(total, progress), target, { end, signal });
  } catch (error) {
    if (isClosedPipe(error)) return;
    // A target that fails takes the source down with it: the error that came first is the one to tell.
    throw error === sourceFailed ? unreachable('The answer of the gateway broke off', error) : error;
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

/** Who read standard output has enough: no failure. */
function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE';
}

/** A device or a pipe is written to, not replaced. */
async function isNoOrdinaryFile(file: string): Promise<boolean> {
  try {
    return !(await stat(file)).isFile();
  } catch {
    return false;
  }
}
