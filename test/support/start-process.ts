import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { pollUntil } from './poll-until.js';
import { REFERENCE_WITHOUT_ENV } from './reference-project.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A program of the build that runs as a process of its own. */
export interface RunningProcess {
  readonly child: ChildProcess;
  /** Its complete output so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves to the first match in its output. */
  readonly untilWritten: (pattern: RegExp) => Promise<RegExpExecArray>;
  /** Its exit code once it has ended; null if a signal ended it. */
  readonly ended: Promise<number | null>;
}

/** Starts `node SCRIPT ARGUMENTS` with only these environment variables and PATH. */
export function startProcess(
  script: string | readonly string[],
  environment: Readonly<Record<string, string>> = {},
): RunningProcess {
  const child = spawn(process.execPath, [script].flat(), {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], PROJECT_DIR: REFERENCE_WITHOUT_ENV, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const ended = once(child, 'close').then(([code]) => code as number | null);
  let hasEnded = false;
  void ended.then(() => (hasEnded = true));
  const untilWritten = (pattern: RegExp): Promise<RegExpExecArray> =>
    pollUntil(`the process writes ${String(pattern)}`, () => {
      const match = pattern.exec(stdout());
      if (!match && hasEnded) throw new Error('the process ended');
      return match ?? undefined;
    }).catch((error: unknown) => {
      throw new Error(`${(error as Error).message}: ${stdout()}${stderr()}`);
    });
  return { child, stdout, stderr, untilWritten, ended };
}

const QUERYGATE = fileURLToPath(new URL('../../dist/commands/cli/querygate.js', import.meta.url));

/** The main program of the build. */
export const GATEWAY = [QUERYGATE, 'serve'];

/** The same program, which reloads the files of its project. */
export const DEVELOPMENT_GATEWAY = [QUERYGATE, 'dev'];

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  return () => text;
}
