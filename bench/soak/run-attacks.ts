import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { freePort } from '../../src/commands/embedded/free-port.js';
import { listCounts, formatMegabytes, formatMs, print } from '../measuring/print.js';
import { residentBytes } from '../measuring/resident-memory.js';
import { endWithThisProcess } from '../servers/server-process.js';
import type { Stage } from '../stage.js';
import { ATTACKS, type Attack } from '../../test/support/attacks.js';
import { openHarness, type Harness } from './harness.js';
import { sendRequest } from './send-request.js';
import { Tally } from './tally.js';

/** Maximum p99 of a cache hit, and maximum delay of the event loop, during any attack. */
const MAX_P99_MS = 100;
const MAX_DELAY_MS = 50;
const ATTACKER = fileURLToPath(new URL('./attacker.js', import.meta.url));
const HIT = '/api/endpoints/query/functions.invocation-stats?project=aurora&interval=1hr';
const PAUSE_MS = 5;
const SETTLE_MS = 1000;
const TIMEOUT_MS = 20_000;

/** Measures cache hits without an attack, and then during each; fails if one slows them down. */
export async function runAttacks(stage: Stage, seconds: number): Promise<void> {
  const adminPort = String(await freePort());
  const harness = await openHarness(stage, { ADMIN_PORT: adminPort });
  await loadSdk(harness);
  let slow = 0;
  for (const attack of [undefined, ...ATTACKS]) {
    // The gateway closes hundreds of connections after an attack, which is not the next one's delay.
    await delay(SETTLE_MS);
    await longestDelay(adminPort);
    const p99 = await measureHits(harness, attack, seconds);
    const delayMs = await longestDelay(adminPort);
    print(`  longest delay of the event loop ${formatMs(delayMs)}`);
    if (p99 >= MAX_P99_MS || delayMs > MAX_DELAY_MS) slow += 1;
  }
  const bounds = `p99 of cache hits was ${MAX_P99_MS} ms or more, or a delay of the event loop more than ${MAX_DELAY_MS} ms`;
  print(`attacks during which ${bounds}: ${slow}`);
  if (slow > 0) process.exitCode = 1;
}

/** The first message loads the SDK, once in the life of a gateway. */
async function loadSdk({ gateway, keys }: Harness): Promise<void> {
  const headers = {
    'X-API-KEY': keys.beside,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  };
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
  await (await fetch(`${gateway.url}/mcp`, { method: 'POST', headers, body })).text();
}

/** The gateway's longest delay since the last call, in milliseconds, of which 10 are the interval of `monitorEventLoopDelay`. */
async function longestDelay(adminPort: string): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(metrics)?.[1]) * 1000;
}

/** Prints the latencies of a caller with a key during an attack; returns the p99 of its hits in milliseconds. */
async function measureHits(
  { gateway, keys }: Harness,
  attack: Attack | undefined,
  seconds: number,
): Promise<number> {
  const attackers = attack && startAttackers(attack, new URL(gateway.url).port, keys.beside);
  const agent = new Agent({ keepAlive: true });
  const tally = new Tally();
  const options = { agent, headers: { 'X-API-KEY': keys.dashboard }, timeoutMs: TIMEOUT_MS };
  await sendRequest(gateway.url + HIT, options);
  const endsAt = performance.now() + seconds * 1000;
  while (performance.now() < endsAt) {
    tally.add('hits', await sendRequest(gateway.url + HIT, options));
    await delay(PAUSE_MS);
  }
  const memory = formatMegabytes(await residentBytes(gateway.pid));
  agent.destroy();
  const rate = ((await attackers?.stop()) ?? 0) / seconds;
  const [figures] = tally.figures();
  if (!figures) throw new Error('there was no response');
  const { requests, median, p99, slowest, responses } = figures;
  const name = attack ? `${attack.name} (${attack.peers} peers, ${rate.toFixed(0)} requests/s)` : 'no attack';
  const times = `p50 ${formatMs(median)}, p99 ${formatMs(p99)}, slowest ${formatMs(slowest)}`;
  print(`${name}: ${requests} hits, ${times}; ${listCounts(responses)}; gateway ${memory}`);
  return p99;
}

interface Attackers {
  /** Stops the attackers; returns the number of requests that they sent. */
  readonly stop: () => Promise<number>;
}

function startAttackers({ name }: Attack, port: string, key: string): Attackers {
  const child = fork(ATTACKER, [name, port, key], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  endWithThisProcess(child);
  let sent = 0;
  child.on('message', (requests) => (sent = Number(requests)));
  return {
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      return sent;
    },
  };
}
