import { Command } from 'commander';

import { EXIT_CODES_HELP } from './exit-codes.js';
import { wholeNumber } from './option-values.js';
import { runCommand, runWhenMain } from './run-command.js';
import type { BenchCachedOptions } from './run-bench-cached.js';

/** `querygate bench-cached`: how fast a hit is. */
export function benchCachedCommand(): Command {
  return new Command('bench-cached')
    .description('Measures hits of the cache against bare servers that send the same bytes.')
    .option('--seconds <n>', 'of load on each', wholeNumber, 5)
    .option(
      '--sets <n>',
      'distinct parameter sets to fill the cache with, some 2,000 a second',
      wholeNumber,
      200_000,
    )
    .option('--redis <url>', 'a Redis to share between two gateways')
    .addHelpText(
      'after',
      `
It needs autocannon, which is a development dependency.

Examples:
  querygate bench-cached --seconds 2 --sets 10000
  querygate bench-cached --redis redis://127.0.0.1:6379
${EXIT_CODES_HELP}`,
    )
    .action((options: BenchCachedOptions) =>
      runCommand(async (signal) => {
        // Its modules are not there in production, where the other commands are.
        const { runBenchCached } = await import('./run-bench-cached.js');
        await runBenchCached(options, signal);
      }),
    );
}

await runWhenMain(import.meta.url, benchCachedCommand);
