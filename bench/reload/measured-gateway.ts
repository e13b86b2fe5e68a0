/**
 * Arguments: a port, the path of `querygate`, and its arguments. Runs `querygate`, and responds on the port with the memory of
 * the process after a garbage collection and its longest stall since the last request.
 */
import { createServer } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pathToFileURL } from 'node:url';

export interface Measures {
  readonly residentBytes: number;
  readonly heapBytes: number;
  /** Milliseconds. */
  readonly longestStall: number;
}

const [, , port, querygate = '', ...args] = process.argv;
process.argv.splice(1, process.argv.length - 1, querygate, ...args);

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const stalls = monitorEventLoopDelay({ resolution: 1 });
stalls.enable();

/** What is left of weak references is freed only by a later collection. */
const COLLECTIONS = 4;
const PAUSE_MS = 250;

createServer((_request, response) => {
  const longestStall = stalls.max / 1e6;
  void settle().then(() => {
    const { rss: residentBytes, heapUsed: heapBytes } = process.memoryUsage();
    stalls.reset();
    response.end(JSON.stringify({ residentBytes, heapBytes, longestStall } satisfies Measures));
  });
}).listen(Number(port), '127.0.0.1');

async function settle(): Promise<void> {
  for (let index = 0; index < COLLECTIONS; index += 1) {
    collectGarbage();
    await delay(PAUSE_MS);
  }
}

await import(pathToFileURL(querygate).href);
