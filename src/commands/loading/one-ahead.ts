/** Yields the items of a sequence and produces the next item in the meantime. */
export async function* oneAhead<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  let next = request(iterator);
  try {
    for (let step = await next; step.done !== true; step = await next) {
      next = request(iterator);
      yield step.value;
    }
  } finally {
    await next.catch(() => undefined);
    await iterator.return?.();
  }
}

/** A failure is thrown when its item is due; without a handler until then, Node would end the process. */
function request<T>(iterator: AsyncIterator<T>): Promise<IteratorResult<T>> {
  const step = iterator.next();
  step.catch(() => undefined);
  return step;
}
