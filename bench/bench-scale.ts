/** `npm run bench:scale`: response times by the size of the data. */
import { Command } from 'commander';

import { runBarrier } from './barrier/run-barrier.js';
import { runBenchmark } from './run-benchmark.js';
import { runScale, type ScaleOptions } from './scale/run-scale.js';
import { wholeNumber } from './whole-number.js';

await runBenchmark(
  new Command('bench:scale')
    .description(
      'Measures the endpoints on 1, 10 and more million rows, and compares plain tables and ClickHouse alone. ' +
        'A hundred million rows take about half an hour to generate and 30 GB of disk.',
    )
    .option('--rows <n>', 'rows of each table at the largest size', wholeNumber, 100_000_000)
    .option('--rounds <n>', 'calls of each query that are timed', wholeNumber, 100)
    .option('--data <folder>', 'folder of the data; complete data of an earlier run is reused')
    .option('--make-only', 'make the data and measure nothing')
    .option(
      '--barrier',
      'measure only the cost of the barrier around callers’ SQL, on one server and two shards',
    ),
  ({ barrier, ...options }: ScaleOptions & { readonly barrier?: boolean }, stage) =>
    barrier ? runBarrier(options, stage) : runScale(options, stage),
);
