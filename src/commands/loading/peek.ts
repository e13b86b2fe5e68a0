/** The first bytes of a stream, and the whole stream. */
export interface Peeked {
  readonly head: Buffer;
  readonly bytes: AsyncIterable<Buffer>;
}

/** Reads the first `size` bytes of a stream, or all of a shorter one. An error before that is thrown by reading the stream. */
export async function peek(source: AsyncIterable<Buffer>, size: number): Promise<Peeked> {
  const iterator = source[Symbol.asyncIterator]();
  const chunks: Buffer[] = [];
  let failure: { readonly cause: unknown } | undefined;
  let isDone = false;
  try {
    for (let length = 0; length < size && !isDone;) {
      const step = await iterator.next();
      if (step.done === true) isDone = true;
      else {
        chunks.push(step.value);
        length += step.value.length;
      }
    }
  } catch (cause) {
    failure = { cause };
  }
  async function* all(): AsyncGenerator<Buffer> {
    try {
      yield* chunks;
      if (failure) throw failure.cause;
      for (; !isDone;) {
        const step = await iterator.next();
        if (step.done === true) return;
        yield step.value;
      }
    } finally {
      await iterator.return?.();
    }
  }
  return { head: Buffer.concat(chunks).subarray(0, size), bytes: all() };
}
