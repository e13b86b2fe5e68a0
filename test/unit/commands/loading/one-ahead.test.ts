import { oneAhead } from '../../../../src/commands/loading/one-ahead.js';
import { drain } from './streams.js';

describe('oneAhead', () => {
  it('yields all items in order', async () => {
    expect(await drain(oneAhead(numbers([], 3)))).toEqual({ items: [1, 2, 3], error: undefined });
  });

  it('produces one item ahead and no more', async () => {
    const made: number[] = [];
    const items = oneAhead(numbers(made, 5));
    expect((await items.next()).value).toBe(1);
    await new Promise(setImmediate);
    expect(made).toEqual([1, 2]);
    await items.return(undefined);
  });

  it('throws an error after the items before it', async () => {
    const failure = new Error('no more');
    const { items, error } = await drain(oneAhead(numbers([], 2, failure)));
    expect(items).toEqual([1, 2]);
    expect(error).toBe(failure);
  });

  it('ends its source and ignores the error of a prefetched item when its reader stops early', async () => {
    const state = { ended: false };
    const items = oneAhead(failingSecond(state));
    await items.next();
    await items.return(undefined);
    expect(state.ended).toBe(true);
  });
});

async function* numbers(made: number[], count: number, failure?: Error): AsyncGenerator<number> {
  for (let number = 1; number <= count; number += 1) {
    made.push(number);
    yield await Promise.resolve(number);
  }
  if (failure) throw failure;
}

async function* failingSecond(state: { ended: boolean }): AsyncGenerator<number> {
  try {
    yield await Promise.resolve(1);
    throw new Error('unread');
  } finally {
    state.ended = true;
  }
}
