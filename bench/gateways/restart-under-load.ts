import { setTimeout as delay } from 'node:timers/promises';

import { print, printTable } from '../measuring/print.js';
import { timed } from '../measuring/sampling.js';
import type { Stage } from '../stage.js';
import { GatewayFleet, type FleetOptions } from './gateway-fleet.js';

interface Counts {
  sent: number;
  /** Responses with status 200 and a complete body. */
  complete: number;
  /** Outcomes of all other requests. */
  readonly lost: string[];
}

const CALLERS = 16;
const SETTLED_MS = 2000;
/** The end of a complete body. */
const END = ']}';

/** Restarts every gateway of a fleet under a steady load, and prints the number of lost requests. */
export async function restartUnderLoad(
  stage: Stage,
  options: FleetOptions,
  apiKey: string,
  targets: Readonly<Record<string, string>>,
): Promise<void> {
  const fleet = await GatewayFleet.open(stage, options);
  const stopping = new AbortController();
  const loads = Object.entries(targets).map(([kind, target]) => {
    const counts: Counts = { sent: 0, complete: 0, lost: [] };
    const callers = Array.from({ length: CALLERS }, () =>
      call(fleet.url + target, apiKey, counts, stopping.signal),
    );
    return { kind, counts, callers };
  });
  await delay(SETTLED_MS);
  const milliseconds = await timed(() => fleet.restartInTurn());
  await delay(SETTLED_MS);
  stopping.abort();
  await Promise.all(loads.flatMap(({ callers }) => callers));
  const restart = `Rolling restart of ${options.size} gateways in ${(milliseconds / 1000).toFixed(1)} s`;
  print(`\n${restart}, ${CALLERS} callers of each kind:`);
  printTable(
    ['kind', 'sent', 'complete responses', 'lost'],
    loads.map(({ kind, counts: { sent, complete, lost } }) => [
      kind,
      sent,
      complete,
      [lost.length, ...lost.slice(0, 1)].join(': '),
    ]),
  );
  await fleet.stop();
}

/** A caller that sends its next request after each response; resolves after its last response. */
async function call(url: string, apiKey: string, counts: Counts, stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    counts.sent += 1;
    try {
      const response = await fetch(url, { headers: { 'X-API-KEY': apiKey } });
      const body = await response.text();
      if (response.status === 200 && body.endsWith(END)) counts.complete += 1;
      else counts.lost.push(`status ${response.status}, ${body.length} characters`);
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      counts.lost.push(String(cause instanceof Error ? cause : error));
    }
  }
}
