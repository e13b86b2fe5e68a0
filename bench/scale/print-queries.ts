import { formatCount, formatMegabytes, formatMs, printTable } from '../measuring/print.js';
import type { Latency } from '../measuring/sampling.js';
import type { QueryMeasurement } from './measure-query.js';

const HEADINGS = [
  'endpoint',
  'query',
  'first',
  'uncached median',
  'p99',
  'hit median',
  'ClickHouse alone',
  'p99',
  'rows read',
  'read',
  'memory',
  'plain table',
  'p99',
  'rows read',
];

/** Prints a line per query: through the gateway, through ClickHouse alone, and on the plain table. */
export function printQueries(measured: readonly QueryMeasurement[]): void {
  printTable(
    HEADINGS,
    measured.map(({ query, cold, uncached, hit, handler, cost, plain, plainRowsRead }) => [
      query.endpoint,
      query.about,
      formatMs(cold),
      ...cellsOf(uncached),
      // An endpoint without caching has no hits.
      query.endpoint === 'logs.all' ? '' : formatMs(hit.median),
      ...cellsOf(handler),
      formatCount(cost.rowsRead),
      formatMegabytes(cost.bytesRead),
      formatMegabytes(cost.memoryBytes),
      ...cellsOf(plain),
      plainRowsRead === 0 ? '' : formatCount(plainRowsRead),
    ]),
  );
}

const cellsOf = (latency: Latency | string): readonly string[] =>
  typeof latency === 'string' ? [latency, ''] : [formatMs(latency.median), formatMs(latency.p99)];

/** Prints the growth of the uncached median from size to size. */
export function printGrowth(bySize: ReadonlyMap<number, readonly QueryMeasurement[]>): void {
  const sizes = [...bySize.keys()];
  const [first = []] = bySize.values();
  const rows = first.map(({ query }, index) => {
    const medians = sizes.map((size) => bySize.get(size)?.[index]?.uncached.median ?? NaN);
    const [last = NaN, before = NaN] = medians.toReversed();
    return [query.endpoint, query.about, ...medians.map(formatMs), `${(last / before).toFixed(2)} times`];
  });
  printTable(['endpoint', 'query', ...sizes.map(formatCount), 'last step'], rows);
}
