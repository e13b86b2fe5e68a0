import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A server in a process of its own, ready for requests. */
export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** Ends the process; does nothing if it has already ended. */
  readonly stop: () => Promise<void>;
}

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Port on which it listens once it is ready. */
  readonly port: number;
  /** Its complete environment; default: that of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** File descriptor of its standard output, which is closed here; default: discarded. */
  readonly output?: number;
  /** Whether its error output is discarded, because it writes more than errors there. */
  readonly isQuiet?: boolean;
  /** The signal that ends it when this process exits. */
  readonly exitSignal?: NodeJS.Signals;
}

const POLL_MS = 20;

/**
 * Starts a server, and waits until it accepts connections.
 *
 * @throws Error if the server ends instead.
 */
export async function startServer(server: ServerCommand): Promise<ServerProcess> {
  const { command, args, port, environment, output, isQuiet = false, exitSignal } = server;
  const child = spawn(command, args, {
    stdio: ['ignore', output ?? 'ignore', isQuiet ? 'ignore' : 'inherit'],
    ...(environment && { env: environment }),
  });
  if (output !== undefined) closeSync(output);
  endWithThisProcess(child, exitSignal);
  const exited = once(child, 'exit');
  while (!(await accepts(port))) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`${[command, ...args].join(' ')} ended before it was ready`);
    }
    await delay(POLL_MS);
  }
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
  };
  return { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, stop };
}

const running = new Map<ChildProcess, NodeJS.Signals>();
process.once('exit', () => {
  for (const [child, signal] of running) child.kill(signal);
});

/** Ends a process when this one exits, so that an interrupted benchmark leaves no process running. */
export function endWithThisProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): void {
  running.set(child, signal);
  child.once('exit', () => running.delete(child));
}

/** Whether this machine has a program. */
export function hasProgram(name: string): boolean {
  return spawnSync(name, ['-v'], { stdio: 'ignore' }).error === undefined;
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
