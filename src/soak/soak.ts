import { setTimeout as delay } from 'node:timers/promises';

import { residentMegabytes } from '../bench/observe.js';
import { FAULTS, runFault } from './faults.js';
import { runLoad, trafficOf } from './load.js';
import type { SoakResult, TriedFault } from './report.js';
import type { Stand } from './stand.js';
import { Tally } from './tally.js';

/** Milliseconds between two faults in which all is well. */
const CALM_MS = 5000;
const MINUTE_MS = 60_000;

/** Loads a gateway for so long, and has its ClickHouse go away in every way by turns. */
export async function soak(stand: Stand, minutes: number, tell: (line: string) => void): Promise<SoakResult> {
  const tally = new Tally();
  const stopping = new AbortController();
  const load = runLoad(stand.gateway.url, trafficOf(stand.keys), { tally, stopped: stopping.signal });
  const memory = [await residentMegabytes(stand.gateway.process)];
  const faults: TriedFault[] = [];
  const endsAt = performance.now() + minutes * MINUTE_MS;
  const calm = (): Promise<void> => delay(Math.max(0, Math.min(CALM_MS, endsAt - performance.now())));
  await calm();
  for (let n = 0; performance.now() < endsAt; n += 1) {
    const fault = FAULTS[n % FAULTS.length];
    if (!fault) break;
    const recoveredMs = await runFault(fault, stand, tally);
    faults.push({ name: fault.name, recoveredMs });
    tell(`${fault.name}: answered again after ${recoveredMs.toFixed(0)} ms`);
    // After the first round of all faults, what there is to grow has grown.
    if (faults.length === FAULTS.length) memory.push(await residentMegabytes(stand.gateway.process));
    await calm();
  }
  stopping.abort();
  await load;
  memory.push(await residentMegabytes(stand.gateway.process));
  return { minutes, tally, faults, memory };
}
