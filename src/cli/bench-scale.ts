import { Command } from 'commander';

import { EXIT_CODES_HELP } from './exit-codes.js';
import { wholeNumber } from './option-values.js';
import { runCommand, runWhenMain } from './run-command.js';
import type { BenchScaleOptions } from './run-bench-scale.js';

/** `querygate bench-scale`: how the endpoints grow with the data. */
export function benchScaleCommand(): Command {
  return new Command('bench-scale')
    .description(
      'Measures the endpoints on 1, 10 and more million rows, beside plain tables and ClickHouse alone.',
    )
    .option('--rows <n>', 'rows of each table at the largest size', wholeNumber, 100_000_000)
    .option('--rounds <n>', 'calls of each question that are timed', wholeNumber, 100)
    .option('--data <folder>', 'keep the data there, and use what an earlier run made')
    .option('--make-only', 'make the data and measure nothing')
    .option(
      '--barrier',
      'measure only what the barrier around callers’ SQL costs, on one server and two shards',
    )
    .addHelpText(
      'after',
      `
A hundred million rows take about half an hour to make and 30 GB of disk.

Examples:
  querygate bench-scale --rows 1000000
  querygate bench-scale --rows 100000000 --data /var/tmp/scale
  querygate bench-scale --barrier --rows 10000000 --rounds 21
${EXIT_CODES_HELP}`,
    )
    .action((options: BenchScaleOptions & { readonly barrier?: boolean }) =>
      runCommand(async (signal) => {
        // Others need not load what only this one uses.
        if (options.barrier) {
          const { runBenchBarrier } = await import('./run-bench-barrier.js');
          await runBenchBarrier(options, signal);
          return;
        }
        const { runBenchScale } = await import('./run-bench-scale.js');
        await runBenchScale(options, signal);
      }),
    );
}

await runWhenMain(import.meta.url, benchScaleCommand);
