import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { FAULTS, runFault } from '../../src/soak/faults.js';
import { runLoad, trafficOf } from '../../src/soak/load.js';
import { openStand, type Stand } from '../../src/soak/stand.js';
import { Tally } from '../../src/soak/tally.js';
import { GATEWAY } from '../support/start-process.js';

/** What the specification demands, on a machine that does nothing else, and what a busy one may add. */
const RECOVERY_MS = 2000;
const BUSY_MS = 10_000;

/** Answers that a fault of ClickHouse's explains, or that callers ask for. */
const EXPLAINED = /^(?:200|400|401|404|429|502|503|504|left)$/;

let folder: string;
let stand: Stand;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'querygate-test-'));
  stand = await openStand({ folder, gatewayModule: GATEWAY });
}, 120_000);
afterAll(async () => {
  await stand.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

it.each(FAULTS.map((fault) => [fault.name, fault] as const))(
  'ClickHouse %s under load: every answer is in time and complete, and all is well soon after its return',
  async (name, fault) => {
    const tally = new Tally();
    const stopping = new AbortController();
    const load = runLoad(stand.gateway.url, trafficOf(stand.keys), { tally, stopped: stopping.signal });
    const recoveredMs = await runFault(fault, stand, tally);
    stopping.abort();
    // Ends only when the last caller has its answer.
    await load;
    const during = Object.fromEntries(tally.duringPhase(name));
    process.stdout.write(`${name}: ${JSON.stringify(during)}, back after ${recoveredMs.toFixed(0)} ms\n`);
    expect(tally.faults).toEqual([]);
    expect(Object.keys(during).filter((status) => !EXPLAINED.test(status))).toEqual([]);
    expect(during['503'] ?? during['502'] ?? 0).toBeGreaterThan(0);
    // Hits, and answers that may be stale, go on.
    expect(during['200'] ?? 0).toBeGreaterThan(0);
    expect(recoveredMs).toBeLessThan(RECOVERY_MS + BUSY_MS);
  },
  90_000,
);
