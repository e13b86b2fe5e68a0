import { Command } from 'commander';

import { EXIT_CODES_HELP } from './exit-codes.js';
import { interruptible, runCommand, runWhenMain } from './run-command.js';
import type { SoakOptions } from './run-soak.js';

/** `querygate soak`: load, and faults by turns. */
export function soakCommand(): Command {
  return new Command('soak')
    .description('Loads a gateway while its ClickHouse is killed, stalled, refused and cut off by turns.')
    .option('--minutes <n>', 'of load and faults', '2')
    .option('--fuzz [seconds]', 'instead: any parameters and headers, for 60 seconds or so many')
    .option(
      '--attack [seconds]',
      'instead: attacks while a caller sends cache hits, 60 seconds of each or so many',
    )
    .addHelpText(
      'after',
      `
Examples:
  querygate soak --minutes 10
  querygate soak --fuzz 60
  querygate soak --attack 60
${EXIT_CODES_HELP}`,
    )
    .action((options: SoakOptions) =>
      runCommand(async (signal) => {
        // Its modules are not there in production, where the other commands are.
        const { runSoak } = await import('./run-soak.js');
        await interruptible(signal, () => runSoak(options));
      }),
    );
}

await runWhenMain(import.meta.url, soakCommand);
