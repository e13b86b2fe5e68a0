import { Command } from 'commander';

import { EXIT_CODES_HELP } from './exit-codes.js';
import { wholeNumber } from './option-values.js';
import { runCommand, runWhenMain } from './run-command.js';
import type { BenchOptions } from './run-bench.js';

/** `querygate bench`: what the gateway adds to a query. */
export function benchCommand(): Command {
  return new Command('bench')
    .description('Measures the endpoints over HTTP, against the bare query, on data made for it.')
    .option(
      '--rows <n>',
      'edge logs to make; half as many function relay logs, a tenth as many events',
      wholeNumber,
      10_000_000,
    )
    .option('--rounds <n>', 'calls of each question that are timed', wholeNumber, 200)
    .addHelpText(
      'after',
      `
Examples:
  querygate bench
  querygate bench --rows 1000000 --rounds 50
${EXIT_CODES_HELP}`,
    )
    .action((options: BenchOptions) =>
      runCommand(async (signal) => {
        // Others need not load what only this one uses.
        const { runBench } = await import('./run-bench.js');
        await runBench(options, signal);
      }),
    );
}

await runWhenMain(import.meta.url, benchCommand);
