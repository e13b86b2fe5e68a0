/** Times of repeated calls, in milliseconds. */
export interface Latency {
  readonly median: number;
  readonly p99: number;
}

/** The median and the 99th percentile (nearest rank) of samples in milliseconds. */
export function summarise(samples: readonly number[]): Latency {
  const sorted = [...samples].sort((a, b) => a - b);
  const rank = (quantile: number): number => sorted[Math.ceil(quantile * sorted.length) - 1] ?? Number.NaN;
  return { median: rank(0.5), p99: rank(0.99) };
}

/**
 * Times two ways of doing the same, in turn, so that a drift of the machine's speed hits both.
 *
 * @param rounds counted calls of each, after one in ten uncounted ones.
 */
export async function timeInTurn(
  rounds: number,
  a: () => Promise<unknown>,
  b: () => Promise<unknown>,
): Promise<readonly [Latency, Latency]> {
  const samples: [number[], number[]] = [[], []];
  const warmUp = Math.ceil(rounds / 10);
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const [index, call] of [a, b].entries()) {
      const started = performance.now();
      await call();
      if (round >= 0) samples[index as 0 | 1].push(performance.now() - started);
    }
  }
  return [summarise(samples[0]), summarise(samples[1])];
}
