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

/**
 * The same, where messages that are sent in one turn of the event loop travel as one: under load a message costs the
 * system far more than what is in it. The other end has to be batched too.
 */
export function batched(channel: Channel): Channel {
  let waiting: unknown[] = [];
  const flush = (): void => {
    const messages = waiting;
    waiting = [];
    channel.send({ [BATCH]: messages });
  };
  return {
    send: (message) => {
      if (waiting.push(message) === 1) setImmediate(flush);
    },
    onMessage: (listener) => {
      channel.onMessage((message) => {
        if (isBatch(message)) for (const one of message[BATCH]) listener(one);
      });
    },
  };
}

/** Node's cluster sends messages of its own on the same channel; ours carry this mark. */
const BATCH = 'querygate';

function isBatch(message: unknown): message is { readonly [BATCH]: readonly unknown[] } {
  return typeof message === 'object' && message !== null && BATCH in message;
}
