import { Histogram, Registry } from 'prom-client';

import { SummedHistogram } from '../../../../src/gateway/observability/summed-histogram.js';

describe('SummedHistogram', () => {
  it('is written as the histogram of prom-client', async () => {
    const options = { name: 'seconds', help: 'Some time.', buckets: [0.001, 0.01, 1] };
    const [expected, actual] = [new Registry(), new Registry()];
    const theirs = new Histogram({ ...options, labelNames: ['endpoint'] as const, registers: [expected] });
    const ours = new SummedHistogram(actual, options);
    expect(await actual.metrics()).toBe(await expected.metrics());
    for (const [endpoint, value] of [
      ...(['a', 'b"\\\n', ''] as const).map((name) => [name, 0.001] as const),
      ...[0, 0.0011, 0.5, 1, 1.5, 1e9].map((seconds) => ['a', seconds] as const),
    ]) {
      theirs.observe({ endpoint }, value);
      ours.observe(endpoint, value);
    }
    expect(await actual.metrics()).toBe(await expected.metrics());
  });
});
