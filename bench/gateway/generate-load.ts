import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { endWithThisProcess } from '../servers/server-process.js';
import type { Stage } from '../stage.js';

/** Requests to a server on this machine: for some seconds, or a number of times. */
export interface Load {
  readonly port: number;
  /** Complete HTTP requests without a body, sent in turn. */
  readonly requests: readonly string[];
  readonly connections: number;
  readonly seconds?: number;
  readonly times?: number;
  /** Requests per second, at equal intervals; absent: each connection sends its next request at once. */
  readonly rate?: number;
}

/** Latencies in milliseconds, from when a request was due to the end of its response. */
export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly requests: number;
  readonly p50: number;
  readonly p99: number;
  /** Responses other than 200 and 304, and lost connections. */
  readonly failures: number;
}

/** Sends a load, and resolves to what was seen. */
export type GenerateLoad = (load: Load) => Promise<LoadResult>;

const MODULE = fileURLToPath(new URL('load-generator.js', import.meta.url));

/** Starts the load generator's process. */
export function startLoadGenerator(stage: Stage): GenerateLoad {
  const child = fork(MODULE);
  endWithThisProcess(child);
  stage.closesWith(() => Promise.resolve(child.kill()));
  const ended = once(child, 'exit').then(() => {
    throw new Error('the load generator ended');
  });
  // The stage ends it too, when nothing waits for a result.
  ended.catch(() => undefined);
  return async (load) => {
    const result = once(child, 'message') as Promise<[LoadResult]>;
    child.send(load);
    return (await Promise.race([result, ended]))[0];
  };
}
