import { Readable } from 'node:stream';

/** Chunks as a stream delivers them; an error among them is thrown in its place. */
export async function* chunks(...parts: readonly (string | Buffer | Error)[]): AsyncGenerator<Buffer> {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield await Promise.resolve(Buffer.from(part));
  }
}

/** Bytes in chunks of a size. */
export function inChunksOf(size: number, bytes: Buffer): Readable {
  const parts: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += size) parts.push(bytes.subarray(start, start + size));
  return Readable.from(parts);
}

/** What a sequence delivered, and what it threw in the end. */
export async function drain<T>(items: AsyncIterable<T>): Promise<{ items: T[]; error: unknown }> {
  const delivered: T[] = [];
  try {
    for await (const item of items) delivered.push(item);
    return { items: delivered, error: undefined };
  } catch (error) {
    return { items: delivered, error };
  }
}
