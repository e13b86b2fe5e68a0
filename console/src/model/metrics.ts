/** A sample of Prometheus' text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Labels of failed requests: status 5xx, except where the caller chose it (`only-if-cached`, `Prefer: wait`). */
export const FAILED = { status: /^5/, code: /^(?!(?:NOT_CACHED|WAIT_OVER)$)/ };

/** Parses Prometheus' text format; other lines than samples are ignored. */
export function readSamples(text: string): readonly Sample[] {
  return text.split('\n').flatMap((line) => {
    const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line);
    if (!match) return [];
    const [, name = '', labels = '', value = ''] = match;
    return [{ name, labels: readLabels(labels), value: value === '+Inf' ? Infinity : Number(value) }];
  });
}

function readLabels(text: string): Readonly<Record<string, string>> {
  const pairs = text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g);
  return Object.fromEntries(
    Array.from(pairs, ([, name = '', value = '']) => [name, value.replaceAll(/\\(.)/g, '$1')]),
  );
}

/** The sum of a metric over all samples with these labels. */
export function sum(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string | RegExp>> = {},
): number {
  const wanted = Object.entries(labels);
  let total = 0;
  for (const sample of samples) {
    if (sample.name !== name) continue;
    const fits = wanted.every(([label, value]) => {
      const has = sample.labels[label] ?? '';
      return typeof value === 'string' ? has === value : value.test(has);
    });
    if (fits) total += sample.value;
  }
  return total;
}

/**
 * Estimates a quantile of a histogram as Prometheus does: linearly within its bucket. The unit is that of the histogram;
 * undefined without observations.
 */
export function quantile(
  samples: readonly Sample[],
  histogram: string,
  endpoint: string,
  part: number,
): number | undefined {
  const buckets = samples
    .filter(({ name, labels }) => name === `${histogram}_bucket` && labels['endpoint'] === endpoint)
    .map(({ labels, value }) => ({
      upTo: labels['le'] === '+Inf' ? Infinity : Number(labels['le']),
      count: value,
    }))
    .sort((left, right) => left.upTo - right.upTo);
  const total = buckets.at(-1)?.count ?? 0;
  if (total === 0) return undefined;
  const rank = part * total;
  let [from, below] = [0, 0];
  for (const { upTo, count } of buckets) {
    if (count >= rank) {
      return upTo === Infinity ? from : from + ((upTo - from) * (rank - below)) / Math.max(1, count - below);
    }
    [from, below] = [upTo, count];
  }
  return from;
}
