import { spawn } from 'node:child_process';
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

/** Runs `querygate ARGS` with only these environment variables and PATH. */
export function runCli(
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
    env: { PATH: process.env['PATH'], PROJECT_DIR: REFERENCE_WITHOUT_ENV, ...environment },
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}
