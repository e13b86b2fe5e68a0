import cluster from 'node:cluster';

import { batched, channelTo, type Channel } from './channel.js';

/** A worker as the supervisor knows it. */
export interface WorkerProcess {
  /** Undefined where the system could not start one; its end is told then. */
  readonly pid: number | undefined;
  readonly channel: Channel;
  /** Ends it at once. */
  readonly kill: () => void;
  /** Told once, with how it ended, such as `code 1` or `SIGKILL`, or why it never began. */
  readonly onExit: (listener: (how: string) => void) => void;
}

/**
 * Of a worker's environment: the number of its place, from 0, which its successor there has too. Tells it from a process
 * that somebody else's cluster runs.
 */
export const WORKER_MARK = 'QUERYGATE_WORKER';

/** How a worker ends that has finished all that it had to. */
export const IN_ORDER = 'code 0';

/**
 * Starts a worker: the same program once more, sharing this one's ports.
 *
 * @param place its number, from 0.
 * @param environment beside this process's own. It is not seen in a list of processes, and in no file.
 * @throws Error where the system refuses at once; where it does so later, the worker ends without a pid.
 */
export function forkWorker(place: number, environment: Readonly<Record<string, string>>): WorkerProcess {
  // The default one writes JSON, in which bytes are ten times as long.
  cluster.setupPrimary({ serialization: 'advanced' });
  const worker = cluster.fork({ ...environment, [WORKER_MARK]: String(place) });
  const { pid } = worker.process;
  const ended = new Promise<string>((resolve) => {
    worker.once('exit', (code: number, signal: string | null) => {
      resolve(signal ?? `code ${code}`);
    });
    // What never began has no exit. Of one that runs, an error is about a signal that did not reach it.
    worker.on('error', (error: Error) => {
      if (pid === undefined) resolve(error.message);
    });
  });
  return {
    pid,
    channel: batched(channelTo(worker)),
    kill: () => void worker.process.kill('SIGKILL'),
    onExit: (listener) => void ended.then(listener),
  };
}
