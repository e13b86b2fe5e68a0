/**
 * Passes a gibibyte of buffers through a process with a small heap, as an export does, and prints how often V8 collected the garbage
 * of the whole heap meanwhile. Argument: `bound`, as a gateway bounds the growth of its heap, or a flag of V8.
 */
import { constants, PerformanceObserver } from 'node:perf_hooks';
import process from 'node:process';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';

import { importBuild } from './import-build.mjs';

const BUFFER_BYTES = 64 * 1024;
const BUFFERS = 16 * 1024;
/** Buffers that are on their way at a time. */
const HELD = 30;
const BUFFERS_OF_A_TURN = 8;

const [, , how = ''] = process.argv;
if (how === 'bound') (await importBuild('gateway/server/heap-growth.js')).boundHeapGrowth();
else setFlagsFromString(how);

/** @param {unknown} detail */
const isOfWholeHeap = (detail) =>
  typeof detail === 'object' &&
  detail !== null &&
  'kind' in detail &&
  detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;

let collections = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries())
    if ('detail' in entry && isOfWholeHeap(entry.detail)) collections += 1;
}).observe({ entryTypes: ['gc'] });

const heap = Array.from({ length: 400_000 }, (_, index) => ({ index }));
const held = [];
for (let sent = 0; sent < BUFFERS; sent += 1) {
  held.push(Buffer.allocUnsafeSlow(BUFFER_BYTES));
  if (held.length > HELD) held.shift();
  if (sent % BUFFERS_OF_A_TURN === 0) await turn();
}
// The observer is notified later.
await delay(50);
console.log(JSON.stringify({ collections, objects: heap.length }));
