import { once } from 'node:events';
import { styleText } from 'node:util';

import { CommanderError, type Command } from 'commander';

import { CommandError, EXIT, EXIT_BY_SIGNAL } from './exit-codes.js';

/** Aborted when the command must end early; the abort reason is the exit code. */
const interruption = new AbortController();

/**
 * Runs a command-line task. Prints an error to standard error and sets the exit code (1 unless the error has its own).
 * SIGINT, SIGTERM and a closed standard output abort the task's signal, and the task may clean up. A second signal ends the
 * process at once.
 */
export async function runCommand(task: (signal: AbortSignal) => Promise<void>): Promise<void> {
  for (const [name, code] of Object.entries(EXIT_BY_SIGNAL)) {
    process.on(name, () => {
      if (interruption.signal.aborted) process.exit(code);
      interruption.abort(code);
    });
  }
  try {
    await task(interruption.signal);
  } catch (error) {
    if (!interruption.signal.aborted) {
      printError(error);
      process.exitCode = exitCodeOf(error);
    }
  }
  // Pending work of the task (a query, standard input) must not keep the process alive.
  if (interruption.signal.aborted) process.exit(interruption.signal.reason as number);
  for (const name of Object.keys(EXIT_BY_SIGNAL)) process.removeAllListeners(name);
}

/** Resolves with the task's result, or rejects as soon as the signal aborts, so that the caller can close its resources. */
export async function interruptible<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const ended = new AbortController();
  const aborted = once(signal, 'abort', { signal: ended.signal }).then(() => {
    throw new Error('interrupted');
  });
  aborted.catch(() => undefined);
  try {
    return await Promise.race([task(), aborted]);
  } finally {
    ended.abort();
  }
}

/** Parses the arguments and runs the command; invalid arguments set exit code 2. */
export async function runProgram(program: Command, argv: readonly string[] = process.argv): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that closes the pipe, as in `querygate … | head -1`, is not a failure.
    if (error.code === 'EPIPE') interruption.abort(EXIT.ok);
    else throw error;
  });
  throwInsteadOfExit(program);
  try {
    // Without a subcommand the program prints its help, which is not an error.
    const isBare = program.commands.length > 0 && argv.length <= 2;
    await program.parseAsync(isBare ? [...argv, '--help'] : argv);
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    else {
      printError(error);
      process.exitCode = exitCodeOf(error);
    }
  }
}

/** Coloured where standard error is a terminal, and NO_COLOR is not set. */
const onStderr = (colour: 'red' | 'yellow', text: string): string =>
  styleText(colour, text, { stream: process.stderr });

/** Writes an error's message to standard error. */
export function printError(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  const isMachineReadable = error instanceof CommandError && error.isMachineReadable;
  const label = isMachineReadable ? '' : `${onStderr('red', 'error:')} `;
  process.stderr.write(`${label}${message}\n`);
}

/** Writes a warning to standard error. */
export function printWarning(message: string): void {
  process.stderr.write(`${onStderr('yellow', 'warning:')} ${message}\n`);
}

function exitCodeOf(error: unknown): number {
  return error instanceof CommandError ? error.exitCode : EXIT.failed;
}

/** Makes a command and its subcommands throw; subcommands do not inherit this setting. */
function throwInsteadOfExit(command: Command): void {
  command.exitOverride().configureOutput({
    outputError: (text, write) => {
      write(text.replace(/^error:/, onStderr('red', 'error:')));
    },
  });
  for (const subcommand of command.commands) throwInsteadOfExit(subcommand);
}
