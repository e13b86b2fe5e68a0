import { setTimeout as delay } from 'node:timers/promises';

import { formatCount, listCounts, formatMegabytes, formatMs, print, printTable } from '../measuring/print.js';
import { residentBytes } from '../measuring/resident-memory.js';
import type { Environment, Stage } from '../stage.js';
import { FAULTS, runFault } from './faults.js';
import { openHarness } from './harness.js';
import { runLoad, trafficOf } from './load.js';
import { Tally } from './tally.js';

/** Milliseconds without a fault between two faults. */
const CALM_MS = 5000;
const MINUTE_MS = 60_000;

interface TriedFault {
  readonly name: string;
  readonly recoveredMs: number;
}

/** Loads a gateway while ClickHouse fails in every way in turn; fails if a response is late, incomplete or missing. */
export async function runSoak(stage: Stage, minutes: number, environment: Environment): Promise<void> {
  const harness = await openHarness(stage, environment);
  const memory: string[] = [];
  const noteMemory = async (): Promise<void> => {
    memory.push(formatMegabytes(await residentBytes(harness.gateway.pid)));
  };
  const tally = new Tally();
  const stopping = new AbortController();
  const load = runLoad(harness.gateway.url, trafficOf(harness.keys), { tally, stopped: stopping.signal });
  await noteMemory();
  const tried: TriedFault[] = [];
  const endsAt = performance.now() + minutes * MINUTE_MS;
  const calm = (): Promise<void> => delay(Math.max(0, Math.min(CALM_MS, endsAt - performance.now())));
  await calm();
  while (performance.now() < endsAt) {
    const fault = FAULTS[tried.length % FAULTS.length];
    if (!fault) break;
    const recoveredMs = await runFault(fault, harness, tally);
    tried.push({ name: fault.name, recoveredMs });
    print(`${fault.name}: recovered after ${recoveredMs.toFixed(0)} ms`);
    // Measured again after the first round of all faults: growth after that is a leak.
    if (tried.length === FAULTS.length) await noteMemory();
    await calm();
  }
  stopping.abort();
  await load;
  await noteMemory();
  print(
    `${formatCount(tally.requests)} requests in ${minutes} minutes; memory of the gateway ${memory.join(', ')}`,
  );
  printTally(tally, tried);
  if (tally.violations.length > 0) process.exitCode = 1;
}

function printTally(tally: Tally, tried: readonly TriedFault[]): void {
  printTable(
    ['requests', 'number', 'responses', 'p50', 'p99', 'slowest'],
    tally
      .figures()
      .map(({ kind, requests, responses, median, p99, slowest }) => [
        kind,
        formatCount(requests),
        listCounts(responses),
        ...[median, p99, slowest].map(formatMs),
      ]),
  );
  printTable(
    ['fault of ClickHouse', 'times', 'responses meanwhile', 'slowest recovery'],
    [...new Set(tried.map(({ name }) => name))].map((name) => {
      const recoveries = tried.filter((each) => each.name === name).map(({ recoveredMs }) => recoveredMs);
      const during = listCounts(tally.duringPhase(name));
      return [name, recoveries.length, during, formatMs(Math.max(...recoveries))];
    }),
  );
  print(`\nresponses that were late, incomplete or missing: ${tally.violations.length}`);
  for (const violation of tally.violations) print(`  ${violation}`);
}
