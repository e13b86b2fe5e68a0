import { sampleInTurn, summarise } from '../../../bench/measuring/sampling.js';

describe('samples of a benchmark', () => {
  it('are taken in turn, with the other way first in every other round, after rounds that do not count', async () => {
    const order: string[] = [];
    const way = (name: string, milliseconds: readonly number[]) => () => {
      order.push(name);
      return Promise.resolve(milliseconds[order.filter((each) => each === name).length - 1] ?? NaN);
    };
    const latencies = await sampleInTurn(3, [way('a', [99, 1, 2, 3]), way('b', [99, 4, 5, 9])]);
    expect(order.join('')).toBe('baabbaab');
    expect(latencies).toEqual([
      { median: 2, p99: 3 },
      { median: 5, p99: 9 },
    ]);
  });

  it('become the nearest ranks of the median and of the 99th percentile', () => {
    const hundred = Array.from({ length: 100 }, (_, n) => 100 - n);
    expect(summarise(hundred)).toEqual({ median: 50, p99: 99 });
  });
});
