import type { Worker } from 'node:cluster';

/** Carries messages to one other process and back, in order. What is sent to one that has gone is dropped. */
export interface Channel {
  readonly send: (message: unknown) => void;
  readonly onMessage: (listener: (message: unknown) => void) => void;
}

/** The primary's end of the channel to a worker. */
export function channelTo(worker: Worker): Channel {
  return {
    send: (message) => {
      // The end of a worker is told by its exit; a message that crosses it is nobody's.
      if (worker.isConnected()) worker.send(message as object, () => undefined);
    },
    onMessage: (listener) => void worker.on('message', listener),
  };
}

/** A worker's end of its channel to the primary. */
export function channelToPrimary(worker: NodeJS.Process): Channel {
  return {
    send: (message) => {
      if (worker.connected) worker.send?.(message, undefined, undefined, () => undefined);
    },
    onMessage: (listener) => void worker.on('message', listener),
  };
}
