import cluster from 'node:cluster';

import { batched, channelTo, type Channel } from './channel.js';

/** A worker as the supervisor knows it. */
export interface WorkerProcess {
  readonly pid: number | undefined;
  readonly channel: Channel;
  /** Ends it at once. */
  readonly kill: () => void;
  /** Told once, with how it ended, such as `code 1` or `SIGKILL`. */
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
 */
export function forkWorker(place: number, environment: Readonly<Record<string, string>>): WorkerProcess {
  // The default one writes JSON, in which bytes are ten times as long.
  cluster.setupPrimary({ serialization: 'advanced' });
  const worker = cluster.fork({ ...environment, [WORKER_MARK]: String(place) });
  return {
    pid: worker.process.pid,
    channel: batched(channelTo(worker)),
    kill: () => void worker.process.kill('SIGKILL'),
    onExit: (listener) => {
      worker.once('exit', (code: number, signal: string | null) => {
        listener(signal ?? `code ${code}`);
      });
    },
  };
}
