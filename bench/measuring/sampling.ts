/** Durations of repeated calls, in milliseconds. */
export interface Latency {
  readonly median: number;
  readonly p99: number;
}

/** Median and 99th percentile (nearest rank) of samples in milliseconds. */
export function summarise(samples: readonly number[]): Latency {
  const sorted = [...samples].sort((a, b) => a - b);
  const rank = (quantile: number): number => sorted[Math.ceil(quantile * sorted.length) - 1] ?? Number.NaN;
  return { median: rank(0.5), p99: rank(0.99) };
}

/** Measures the milliseconds of a call. */
export async function timed(call: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await call();
  return performance.now() - started;
}

/**
 * Samples several variants in turn, so that a drift of the machine's speed affects all of them; every other round
 * begins with the last variant.
 *
 * @param rounds counted samples of each variant; one tenth as many come first and do not count.
 * @param variants each resolves to its sample in milliseconds.
 */
export async function sampleInTurn(
  rounds: number,
  variants: readonly (() => Promise<number>)[],
): Promise<readonly Latency[]> {
  const entries = variants.map((sample) => ({ sample, samples: [] as number[] }));
  for (let round = -Math.ceil(rounds / 10); round < rounds; round += 1) {
    for (const { sample, samples } of round % 2 === 0 ? entries : entries.toReversed()) {
      const milliseconds = await sample();
      if (round >= 0) samples.push(milliseconds);
    }
  }
  return entries.map(({ samples }) => summarise(samples));
}
