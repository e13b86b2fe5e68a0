import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { CommanderError, type Command } from 'commander';

import { CommandError, EXIT, EXIT_BY_SIGNAL } from './exit-codes.js';
import { paint, targetOf } from './style.js';

/** Aborted when the command should end early; the reason is the exit code. */
const ending = new AbortController();

/**
 * Runs a command-line task. An error is told on standard error, and is the exit code (1 where it has none of its own);
 * SIGINT, SIGTERM and a reader of standard output that has gone abort the signal, and the task is given the time to
 * tidy up. A second signal ends the process at once.
 */
export async function runCommand(task: (signal: AbortSignal) => Promise<void>): Promise<void> {
  for (const [name, code] of Object.entries(EXIT_BY_SIGNAL)) {
    process.on(name, () => {
      if (ending.signal.aborted) process.exit(code);
      ending.abort(code);
    });
  }
  try {
    await task(ending.signal);
  } catch (error) {
    if (!ending.signal.aborted) {
      printError(error);
      process.exitCode = exitCodeOf(error);
    }
  }
  // What the task left waiting (a query, standard input) must not keep the process.
  if (ending.signal.aborted) process.exit(ending.signal.reason as number);
  for (const name of Object.keys(EXIT_BY_SIGNAL)) process.removeAllListeners(name);
}

/** The task's result, or a rejection as soon as the signal is aborted: what the caller has opened it can close then. */
export async function interruptible<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => {
      reject(new Error('interrupted'));
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([task(), aborted]);
  } finally {
    if (onAbort) signal.removeEventListener('abort', onAbort);
  }
}

/** Parses the process's arguments and runs what they say; wrong ones are exit code 2. */
export async function runProgram(program: Command, argv: readonly string[] = process.argv): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // `querygate … | head -1` is no failure.
    if (error.code === 'EPIPE') ending.abort(EXIT.ok);
    else throw error;
  });
  throwInsteadOfExit(program);
  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    else {
      printError(error);
      process.exitCode = exitCodeOf(error);
    }
  }
}

/** Runs a command's file that was started itself, as `node dist/src/cli/keys.js` starts keys. */
export async function runWhenMain(moduleUrl: string, command: () => Command): Promise<void> {
  const [, started] = process.argv;
  if (started === undefined) return;
  let file: string;
  try {
    file = realpathSync(started);
  } catch {
    return; // Node was given something else than a file.
  }
  if (file === fileURLToPath(moduleUrl)) await runProgram(command());
}

/** Writes an error's message to standard error. */
export function printError(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  const isBare = error instanceof CommandError && error.bare;
  const label = isBare ? '' : `${paint('red', 'error:', targetOf(process.stderr))} `;
  process.stderr.write(`${label}${message}\n`);
}

/** Writes a warning to standard error. */
export function printWarning(message: string): void {
  process.stderr.write(`${paint('yellow', 'warning:', targetOf(process.stderr))} ${message}\n`);
}

function exitCodeOf(error: unknown): number {
  return error instanceof CommandError ? error.exitCode : EXIT.failed;
}

/** A command that is added to another one inherits nothing, so each is told. */
function throwInsteadOfExit(command: Command): void {
  command.exitOverride().configureOutput({
    outputError: (text, write) => {
      write(text.replace(/^error:/, paint('red', 'error:', targetOf(process.stderr))));
    },
  });
  for (const subcommand of command.commands) throwInsteadOfExit(subcommand);
}
