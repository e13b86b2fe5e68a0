import { Readable } from 'node:stream';

/** Yields chunks like a stream; an error among them is thrown. */
export async function* chunks(...parts: readonly (string | Buffer | Error)[]): AsyncGenerator<Buffer> {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield await Promise.resolve(Buffer.from(part));
  }
}

/** Streams bytes in chunks of a size. */
export function inChunksOf(size: number, bytes: Buffer): Readable {
  const parts: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += size) parts.push(bytes.subarray(start, start + size));
  return Readable.from(parts);
}

/** Reads a sequence to its end, and returns its items and the error that it threw. */
export async function drain<T>(items: AsyncIterable<T>): Promise<{ items: T[]; error: unknown }> {
  const delivered: T[] = [];
  try {
    for await (const item of items) delivered.push(item);
    return { items: delivered, error: undefined };
  } catch (error) {
    return { items: delivered, error };
  }
}
