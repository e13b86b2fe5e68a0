import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { REFERENCE_WITHOUT_ENV } from './reference-project.js';

/** The command line of the build. */
export const QUERYGATE = fileURLToPath(new URL('../../dist/commands/cli/querygate.js', import.meta.url));

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const HOST = fileURLToPath(new URL('cli-host.mjs', import.meta.url));

let host: { readonly child: ChildProcess; readonly ended: Promise<never> } | undefined;
let previous: Promise<unknown> = Promise.resolve();

/**
 * Runs `querygate ARGS` with only these environment variables and PATH, after the earlier commands of this worker, in a process
 * that they share and that ends with it. Commands that read standard input or run until they are stopped need {@link runAlone}.
 */
export function runCli(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const outcome = previous.then(() => runInHost({ args, environment: variablesOf(environment) }));
  previous = outcome.catch(() => undefined);
  return outcome;
}

async function runInHost(call: object): Promise<Outcome> {
  host ??= startHost();
  const { child, ended } = host;
  // Between commands it does not keep the worker from its end.
  child.channel?.ref();
  const received = once(child, 'message');
  child.send(call);
  const [outcome] = (await Promise.race([received, ended])) as [Outcome];
  child.channel?.unref();
  return outcome;
}

function startHost(): NonNullable<typeof host> {
  const child = fork(HOST, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env: {}, execArgv: [] });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the process of the commands ended with exit code ${String(code)}`);
  });
  ended.catch(() => (host = undefined));
  child.unref();
  return { child, ended };
}

/** Runs `querygate ARGS` in a process of its own, with only these environment variables and PATH. */
export function runAlone(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  return run(process.execPath, [QUERYGATE, ...args], environment);
}

/** Runs a script in bash with a function `querygate`. */
export function runInBash(
  script: string,
  environment: Readonly<Record<string, string>> = {},
  folder?: string,
): Promise<Outcome> {
  const prologue = `querygate() { "$NODE" "$QUERYGATE" "$@"; }; export -f querygate; `;
  const all = { NODE: process.execPath, QUERYGATE, ...environment };
  return run('bash', ['--noprofile', '--norc', '-c', prologue + script], all, folder);
}

async function run(
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  cwd?: string,
): Promise<Outcome> {
  const child = spawn(command, args, {
    env: variablesOf(environment),
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

function variablesOf(environment: Readonly<Record<string, string>>): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', PROJECT_DIR: REFERENCE_WITHOUT_ENV, ...environment };
}
