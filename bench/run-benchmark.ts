import type { Command } from 'commander';

import { EXIT_CODES_HELP } from '../src/commands/cli/exit-codes.js';
import { interruptible, runCommand, runProgram } from '../src/commands/cli/run-command.js';
import { Stage } from './stage.js';

/**
 * Runs a benchmark's command on a stage, and closes the stage even if the benchmark fails or is interrupted.
 *
 * @param run receives the command's options, whose type only the command knows.
 */
export async function runBenchmark(
  command: Command,
  run: (options: never, stage: Stage) => Promise<void>,
): Promise<void> {
  command.addHelpText('after', EXIT_CODES_HELP).action((options) =>
    runCommand(async (signal) => {
      const stage = await Stage.open();
      try {
        await interruptible(signal, () => run(options as never, stage));
      } finally {
        await stage.close();
      }
    }),
  );
  await runProgram(command);
}
