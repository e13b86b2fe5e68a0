/** Delivers the items of another sequence, of which the next one is already in the making. */
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

/** A failure waits until its turn has come; without a handler from the start Node would end the process. */
function request<T>(iterator: AsyncIterator<T>): Promise<IteratorResult<T>> {
  const step = iterator.next();
  step.catch(() => undefined);
  return step;
}
