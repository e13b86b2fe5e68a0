import { setTimeout as delay } from 'node:timers/promises';

import { startLoadGenerator, type GenerateLoad } from '../gateway/generate-load.js';
import { portOf, requestsOf, type Subject } from '../gateway/subject.js';
import { formatCount, formatMegabytes, print, printTable } from '../measuring/print.js';
import { residentBytes, resetPeak } from '../measuring/resident-memory.js';
import { CONNECTIONS } from '../measuring/throughput.js';
import type { Stage } from '../stage.js';
import { sizedTarget, startBeforeCanned } from './canned-gateway.js';

const RESPONSES: readonly number[] = [500, 6000];
/** Requests that were never sent before, between two loads of hits. */
const NEW_REQUESTS = 5000;
/** Of the requests before, sent again. */
const HITS = 1000;
const SETTLE_MS = 1000;
/** CACHE_MEMORY_MB of the gateway whose growth is that of the same requests without a cache. */
const SMALLEST_MB = 1;
const HEADINGS = [
  'responses',
  '`CACHE_MEMORY_MB`',
  'distinct requests',
  'failures',
  'empty gateway',
  'above it, at the end',
  'above it, at most',
  'of the cache, by its limit',
];
const LEAVES_OUT = `
Gateways as deployed, one after another. Before them is a fake that responds at once, not ClickHouse. All requests are of one
endpoint; each ${formatCount(NEW_REQUESTS)} new ones are followed by ${formatCount(HITS)} hits of them. The empty gateway's memory is
that before the first request. MB are 10⁶ bytes. "Of the cache" is the growth less that of the smallest cache.`;

export interface Churn {
  readonly minutes: number;
  readonly cacheMb: number;
  /** Of the responses; default: 500, then 6000. */
  readonly bytes?: number;
}

/** Requests new parameter sets for some minutes, and prints the memory of the gateways. */
export async function measureFullCache(stage: Stage, { minutes, cacheMb, bytes }: Churn): Promise<void> {
  const generate = startLoadGenerator(stage);
  const keys = await stage.writeKeys({ one: {} });
  const lines: (string | number)[][] = [];
  for (const size of bytes === undefined ? RESPONSES : [bytes]) {
    const [without = 0, growth = 0] = await inTurn([SMALLEST_MB, cacheMb], async (mb) => {
      const gateway = await startBeforeCanned(stage, keys, '', { CACHE_MEMORY_MB: String(mb) });
      const churned = await churn(gateway, { generate, bytes: size, end: Date.now() + minutes * 60_000 });
      lines.push([`${size} bytes`, mb, ...churned.cells]);
      return churned.growth;
    });
    lines.at(-1)?.push(((growth - without) / (cacheMb * 2 ** 20)).toFixed(2));
  }
  printTable(
    HEADINGS,
    lines.map((cells) => [...cells, ''].slice(0, HEADINGS.length)),
  );
  print(LEAVES_OUT);
}

async function inTurn<A, B>(items: readonly A[], run: (item: A) => Promise<B>): Promise<readonly B[]> {
  const results: B[] = [];
  for (const item of items) results.push(await run(item));
  return results;
}

async function churn(
  gateway: Omit<Subject, 'targets'>,
  { generate, bytes, end }: { readonly generate: GenerateLoad; readonly bytes: number; readonly end: number },
): Promise<{ readonly cells: readonly (string | number)[]; readonly growth: number }> {
  const { server } = gateway;
  await delay(SETTLE_MS);
  const empty = await residentBytes(server.pid);
  await resetPeak(server.pid);
  let [sent, failures] = [0, 0];
  while (Date.now() < end) {
    const targets = targetsFrom(bytes, sent, NEW_REQUESTS);
    failures += await sendEach(generate, { ...gateway, targets });
    failures += await sendEach(generate, { ...gateway, targets: targets.slice(-HITS) });
    sent += NEW_REQUESTS;
  }
  const [last, peak] = [await residentBytes(server.pid), await residentBytes(server.pid, 'VmHWM')];
  await server.stop();
  const memory = [empty, last - empty, peak - empty].map(formatMegabytes);
  return { cells: [formatCount(sent), failures, ...memory], growth: last - empty };
}

/** Requests whose responses have about so many bytes, with numbers from one on. */
export const targetsFrom = (bytes: number, first: number, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => sizedTarget(bytes, first + index));

/** Sends each request once; returns the number of failures. */
export async function sendEach(generate: GenerateLoad, subject: Subject): Promise<number> {
  const requests = requestsOf(subject);
  const { failures } = await generate({
    ...{ port: portOf(subject.server), requests, connections: CONNECTIONS, times: requests.length },
  });
  return failures;
}
