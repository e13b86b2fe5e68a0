import { FAULTS, runFault } from '../../bench/soak/faults.js';
import { openHarness, type Harness } from '../../bench/soak/harness.js';
import { runLoad, trafficOf, type Traffic } from '../../bench/soak/load.js';
import { sendRequest } from '../../bench/soak/send-request.js';
import { Tally } from '../../bench/soak/tally.js';
import { Stage } from '../../bench/stage.js';
import { openForAll } from '../support/opened.js';

/** Maximum delay of a response while other tests use the machine too; `npm run soak` allows a second. */
const BUSY_MS = 60_000;

/** Responses that a fault of ClickHouse explains, or that callers request. */
const EXPLAINED = /^(?:200|400|401|404|429|502|503|504|left)$/;

const stage = openForAll(() => Stage.open());
let harness: Harness;
beforeAll(async () => {
  harness = await openHarness(stage);
  const hits = trafficOf(harness.keys).find(({ kind }) => kind === 'hits');
  if (!hits) throw new Error('the load has no hits');
  for (const n of [0, 1]) {
    const { target, ...options } = hits.request(n);
    const { status } = await sendRequest(harness.gateway.url + target, { ...options, timeoutMs: BUSY_MS });
    if (status !== 200) throw new Error(`the results to hit are not cached: ${status}`);
  }
});

const oneCallerOfEachKind = (): readonly Traffic[] =>
  trafficOf(harness.keys).map((traffic) => ({ ...traffic, callers: 1 }));

it.each(FAULTS.map((fault) => [fault.name, fault] as const))(
  'ClickHouse %s under load: every response is in time and complete, and service is normal soon afterwards',
  async (name, fault) => {
    const tally = new Tally();
    const stopping = new AbortController();
    const load = runLoad(harness.gateway.url, oneCallerOfEachKind(), {
      tally,
      stopped: stopping.signal,
      slackMs: BUSY_MS,
    });
    // Beside other tests, the load could leave ClickHouse too little CPU to respond to a ping within a second.
    const recoveredMs = await runFault(fault, harness, tally, () => {
      stopping.abort();
    });
    // Ends with the last caller's response.
    await load;
    const during = Object.fromEntries(tally.duringPhase(name));
    process.stdout.write(
      `${name}: ${JSON.stringify(during)}, recovered after ${recoveredMs.toFixed(0)} ms\n`,
    );
    expect(tally.violations).toEqual([]);
    expect(Object.keys(during).filter((status) => !EXPLAINED.test(status))).toEqual([]);
    // A restart can be so short that every request waits for its end.
    if (!fault.isGraceful) expect(during['503'] ?? during['502'] ?? 0).toBeGreaterThan(0);
    // Hits continue.
    expect(during['200'] ?? 0).toBeGreaterThan(0);
  },
  180_000,
);
