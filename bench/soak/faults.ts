import { setTimeout as delay } from 'node:timers/promises';

import { createPing } from '../../src/gateway/clickhouse/ping.js';
import type { Harness } from './harness.js';
import { newTarget } from './load.js';
import { sendRequest } from './send-request.js';
import type { Tally } from './tally.js';

/** A way in which ClickHouse fails, and recovers. */
export interface Fault {
  readonly name: string;
  /** Duration in milliseconds, unless the fault ends by itself. */
  readonly lastsMs: number;
  /** Whether ClickHouse completes its queries before it ends. */
  readonly isGraceful?: true;
  readonly begin: (harness: Harness) => Promise<void> | void;
  /** Resolves once ClickHouse works again. */
  readonly end: (harness: Harness) => Promise<void> | void;
}

/** Two seconds of silence and two pings of one second count as a stall. */
const STALL_MS = 6000;
const RETURN_MS = 60_000;
const PING_MS = 5000;

export const FAULTS: readonly Fault[] = [
  { name: 'killed', lastsMs: 0, begin: end('SIGKILL'), end: untilBack },
  { name: 'stopped and restarted', isGraceful: true, lastsMs: 0, begin: end('SIGTERM'), end: untilBack },
  { name: 'stalled (SIGSTOP)', lastsMs: STALL_MS, begin: signal('SIGSTOP'), end: signal('SIGCONT') },
  {
    name: 'refused connections',
    lastsMs: 2500,
    begin: ({ proxy }) => proxy.become('rejecting'),
    end: ({ proxy }) => proxy.become('passing'),
  },
  {
    name: 'cut in mid-response',
    lastsMs: 2500,
    begin: ({ proxy }) => proxy.become('cutting'),
    end: ({ proxy }) => proxy.become('passing'),
  },
];

/**
 * Returns the milliseconds from ClickHouse's recovery to its first response.
 *
 * @param onEnd called when ClickHouse works again, before the first request that must succeed.
 */
export async function runFault(
  fault: Fault,
  harness: Harness,
  tally: Tally,
  onEnd: () => void = () => undefined,
): Promise<number> {
  tally.phase = fault.name;
  await fault.begin(harness);
  if (fault.lastsMs > 0) {
    await delay(fault.lastsMs);
    await untilNoticed(fault, tally);
  }
  await fault.end(harness);
  tally.phase = `${fault.name}, over`;
  onEnd();
  const recoveredMs = await untilServed(harness, tally);
  tally.phase = 'all well';
  return recoveredMs;
}

/** On a busy machine, no request may arrive during a short fault. */
async function untilNoticed({ name }: Fault, tally: Tally): Promise<void> {
  const deadlineAt = performance.now() + RETURN_MS;
  while (![...tally.duringPhase(name).keys()].some((status) => /^50[23]$/.test(status))) {
    await waitUntil(deadlineAt);
  }
}

function signal(name: NodeJS.Signals): Fault['begin'] {
  return ({ clickhouse: { pid } }) => {
    if (pid === undefined) throw new Error('ClickHouse does not run');
    process.kill(pid, name);
  };
}

/** Sends a signal, and waits until the process has ended. */
function end(name: NodeJS.Signals): Fault['begin'] {
  return async (harness) => {
    const { pid } = harness.clickhouse;
    await signal(name)(harness);
    const deadlineAt = performance.now() + RETURN_MS;
    while (pid !== undefined && isRunning(pid)) await waitUntil(deadlineAt);
  };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Waits until ClickHouse responds; the embedded server restarts it. */
async function untilBack({ clickhouse }: Harness): Promise<void> {
  const ping = createPing(clickhouse.adminConnection.url);
  const isUp = () => ping(AbortSignal.timeout(PING_MS)).catch(() => false);
  const deadlineAt = performance.now() + RETURN_MS;
  while (!(await isUp())) await waitUntil(deadlineAt);
}

async function untilServed({ gateway, keys }: Harness, tally: Tally): Promise<number> {
  const startedAt = performance.now();
  const options = { headers: { 'X-API-KEY': keys.beside }, timeoutMs: RETURN_MS };
  for (;;) {
    const outcome = await sendRequest(gateway.url + newTarget(), options);
    tally.add('first after the return', outcome);
    if (outcome.status === 200) break;
    await waitUntil(startedAt + RETURN_MS);
  }
  return performance.now() - startedAt;
}

async function waitUntil(deadlineAt: number): Promise<void> {
  if (performance.now() > deadlineAt)
    throw new Error('ClickHouse did not stop or recover, or the gateway did not detect it');
  await delay(20);
}
