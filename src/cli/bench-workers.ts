import { Command } from 'commander';

import { EXIT_CODES_HELP } from './exit-codes.js';
import { wholeNumber } from './option-values.js';
import { interruptible, runCommand, runWhenMain } from './run-command.js';
import type { BenchWorkersOptions } from './run-bench-workers.js';

/** `querygate bench-workers`: what a second worker gives, and what a rolling restart costs. */
export function benchWorkersCommand(): Command {
  return new Command('bench-workers')
    .description('Measures one worker against several, in turn, and a rolling restart under load.')
    .option('--workers <n>', 'of the larger gateway', wholeNumber, 2)
    .option('--seconds <n>', 'of load each time', wholeNumber, 5)
    .option('--rounds <n>', 'times that each is measured', wholeNumber, 3)
    .addHelpText(
      'after',
      `
It needs autocannon, which is a development dependency.

Examples:
  querygate bench-workers
  querygate bench-workers --workers 4 --seconds 10
${EXIT_CODES_HELP}`,
    )
    .action((options: BenchWorkersOptions) =>
      runCommand(async (signal) => {
        // Its modules are not there in production, where the other commands are.
        const { runBenchWorkers } = await import('./run-bench-workers.js');
        await interruptible(signal, () => runBenchWorkers(options));
      }),
    );
}

await runWhenMain(import.meta.url, benchWorkersCommand);
