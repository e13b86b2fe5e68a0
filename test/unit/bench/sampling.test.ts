import { sampleInTurn, summarise } from '../../../bench/measuring/sampling.js';

describe('sampleInTurn', () => {
  it('takes samples in turn, reverses the order every other round, and discards the warm-up rounds', async () => {
    const order: string[] = [];
    const sampler = (name: string, milliseconds: readonly number[]) => () => {
      order.push(name);
      return Promise.resolve(milliseconds[order.filter((each) => each === name).length - 1] ?? NaN);
    };
    const latencies = await sampleInTurn(3, [sampler('a', [99, 1, 2, 3]), sampler('b', [99, 4, 5, 9])]);
    expect(order.join('')).toBe('baabbaab');
    expect(latencies).toEqual([
      { median: 2, p99: 3 },
      { median: 5, p99: 9 },
    ]);
  });
});

describe('summarise', () => {
  it('returns the median and the 99th percentile by nearest rank', () => {
    const hundred = Array.from({ length: 100 }, (_, n) => 100 - n);
    expect(summarise(hundred)).toEqual({ median: 50, p99: 99 });
  });
});
