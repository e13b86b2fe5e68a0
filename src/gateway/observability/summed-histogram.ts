import type { Histogram, Metric, Registry } from 'prom-client';

export interface HistogramOptions {
  readonly name: string;
  readonly help: string;
  /** Upper bounds, in ascending order. */
  readonly buckets: readonly number[];
}

/** The values of one endpoint: `counts` has the number of values in each bucket, excluding those of lower buckets. */
interface Sums {
  readonly counts: Float64Array;
  sum: number;
}

type Values = Awaited<ReturnType<Histogram<'endpoint' | 'le'>['get']>>['values'];

/** A histogram with the label `endpoint`. It replaces that of prom-client, in which the labels take half of the time. */
export class SummedHistogram {
  private readonly sumsByEndpoint = new Map<string, Sums>();

  constructor(
    registry: Registry,
    private readonly options: HistogramOptions,
  ) {
    const { name, help } = options;
    const get = (): Promise<object> =>
      Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values: this.values() });
    // A registry reads only the name of a metric and the result of get().
    registry.registerMetric({ name, get } as unknown as Metric);
  }

  observe(endpoint: string, value: number): void {
    const sums = this.sumsOf(endpoint);
    const { buckets } = this.options;
    let at = 0;
    while (at < buckets.length && value > (buckets[at] ?? 0)) at += 1;
    sums.counts[at] = (sums.counts[at] ?? 0) + 1;
    sums.sum += value;
  }

  private sumsOf(endpoint: string): Sums {
    const known = this.sumsByEndpoint.get(endpoint);
    if (known) return known;
    const sums = { counts: new Float64Array(this.options.buckets.length + 1), sum: 0 };
    this.sumsByEndpoint.set(endpoint, sums);
    return sums;
  }

  private values(): Values {
    const { name, buckets } = this.options;
    return [...this.sumsByEndpoint].flatMap(([endpoint, { counts, sum }]) => {
      let count = 0;
      const cumulated = [...buckets, '+Inf'].map((le, at) => {
        count += counts[at] ?? 0;
        return { labels: { le, endpoint }, metricName: `${name}_bucket`, value: count };
      });
      const labels = { endpoint };
      return [
        ...cumulated,
        { labels, metricName: `${name}_sum`, value: sum },
        { labels, metricName: `${name}_count`, value: count },
      ];
    });
  }
}
