import { cpuMicroseconds } from '../measuring/cpu-time.js';
import { takeLoopDelay } from '../measuring/loop-delay.js';
import { canPin, leaveCoreTo } from '../measuring/pin.js';
import { formatMs, print, printTable } from '../measuring/print.js';
import { CONNECTIONS } from '../measuring/throughput.js';
import type { GenerateLoad, Load, LoadResult } from './generate-load.js';
import { formatRatio, median } from './ratio.js';
import { portOf, requestsOf, requireHit, type Subject } from './subject.js';

export interface HitSubjects {
  /** The baseline: every ratio is to this in the same round. */
  readonly bare: Subject;
  readonly others: readonly Subject[];
  /** Pairs to compare with each other: what is measured, and the plain hit beside it. */
  readonly pairs: readonly (readonly [Subject, Subject])[];
  /** Those that are also loaded with half of their maximum rate. */
  readonly paced: readonly Subject[];
}

export interface Rounds {
  readonly rounds: number;
  readonly seconds: number;
}

export interface Round extends LoadResult {
  readonly cpuPerRequest: number;
  /** The delay of the event loop, where the server says it. */
  readonly loopDelay: number;
}

const HITS_LEAVE_OUT = `
Medians of interleaved rounds; ratios are of one round each, with their spread. Full load on ${CONNECTIONS} connections,
one request at a time on each, no TLS. The load generator shares the cores. CPU per request is that of the server with its
child processes: Redis and the reader of the log are left out. At full load it is not a fair comparison: the load
generator sleeps until a slow server responds, and the server pays for waking it up. The event loop's delay is what a timer of
1 ms came late (p99.9).
Bare Node sends one response, with the header lines of the gateway. The other caches check no key, count no quota, and
log no request to ClickHouse, and the own code logs nothing; nginx, Varnish and chproxy have the SQL in the URL; Trickster has
a query of its own.`;
const PAIRS_LEAVE_OUT = `
Each quota is beyond what the load reaches: rejected requests are left out. With Redis, all results are in the
local cache.`;
const PACED_LEAVE_OUT = `
Half of the maximum rate of each, at equal intervals; real callers come in bursts. Latency counts from when a request was
due; CPU is compared at equal rates. The server has a core of its own, where the machine allows it; the sender, which polls
without a pause, ClickHouse and everything else share the other, so that ClickHouse delays the sender.`;
const WARM_UP_SECONDS = 0.3;
/** Of the first requests, which are misses: as many as ClickHouse takes well. */
const FILLING_CONNECTIONS = 4;

/** Measures hits in interleaved rounds, and prints the tables. */
export async function measureHits(
  generate: GenerateLoad,
  { bare, others, pairs, paced }: HitSubjects,
  { rounds, seconds, warmUp }: Rounds & { readonly warmUp: number },
): Promise<void> {
  const subjects = [bare, ...others];
  for (const subject of others) await fill(generate, subject);
  for (const subject of subjects) await generate({ ...loadOf(subject), seconds: warmUp });
  const results = new Map<Subject, Round[]>(subjects.map((subject) => [subject, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      results.get(subject)?.push(await loadRound(generate, subject, { seconds }));
    }
  }
  const seriesOf = (subject: Subject, field: keyof Round): number[] =>
    (results.get(subject) ?? []).map((result) => result[field]);
  printHits(subjects, seriesOf, bare);
  print(HITS_LEAVE_OUT);
  printTable(
    ['hit', 'compared with', 'requests/s'],
    pairs.map(([subject, plain]) => [
      subject.name,
      plain.name,
      formatRatio(seriesOf(subject, 'requestsPerSecond'), seriesOf(plain, 'requestsPerSecond')),
    ]),
  );
  print(PAIRS_LEAVE_OUT);
  await measurePaced(generate, bare, paced, seriesOf, { rounds, seconds });
  print(PACED_LEAVE_OUT);
}

type Series = (subject: Subject, field: keyof Round) => number[];

function printHits(subjects: readonly Subject[], seriesOf: Series, bare: Subject): void {
  const ratio = (subject: Subject, field: keyof Round): string =>
    formatRatio(seriesOf(subject, field), seriesOf(bare, field));
  printTable(
    [
      'server',
      'requests/s',
      'of bare Node',
      'CPU per request',
      'of bare Node',
      'p99',
      'of bare Node',
      'delay of the event loop',
      'failures',
    ],
    subjects.map((subject) => [
      subject.name,
      median(seriesOf(subject, 'requestsPerSecond')).toFixed(0),
      ratio(subject, 'requestsPerSecond'),
      `${median(seriesOf(subject, 'cpuPerRequest')).toFixed(1)} µs`,
      ratio(subject, 'cpuPerRequest'),
      formatMs(median(seriesOf(subject, 'p99'))),
      ratio(subject, 'p99'),
      formatMs(median(seriesOf(subject, 'loopDelay'))),
      seriesOf(subject, 'failures').reduce((sum, each) => sum + each, 0),
    ]),
  );
}

/** Loads each subject with half of its maximum rate, and bare Node with the same rate. */
async function measurePaced(
  generate: GenerateLoad,
  bare: Subject,
  paced: readonly Subject[],
  seriesOf: Series,
  { rounds, seconds }: Rounds,
): Promise<void> {
  const lines: (string | number)[][] = [];
  const isPinned = canPin();
  for (const subject of paced) {
    const rate = median(seriesOf(subject, 'requestsPerSecond')) / 2;
    const [own, baseline]: [Round[], Round[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      const turns: [Subject, Round[]][] = [
        [bare, baseline],
        [subject, own],
      ];
      for (const [each, results] of round % 2 === 0 ? turns : turns.toReversed()) {
        if (isPinned) await leaveCoreTo(each.server.pid);
        results.push(await loadRound(generate, each, { seconds, rate }));
      }
    }
    const [p99, bareP99] = [own.map((each) => each.p99), baseline.map((each) => each.p99)];
    const reached = median(own.map((each) => each.requestsPerSecond));
    const [cpu, bareCpu] = [
      own.map((each) => each.cpuPerRequest),
      baseline.map((each) => each.cpuPerRequest),
    ];
    lines.push([
      ...[subject.name, rate.toFixed(0), reached.toFixed(0)],
      ...[`${median(cpu).toFixed(1)} µs`, formatRatio(cpu, bareCpu)],
      ...[formatMs(median(p99)), formatMs(median(bareP99)), formatRatio(p99, bareP99)],
      formatMs(median(own.map((each) => each.loopDelay))),
    ]);
  }
  printTable(
    [
      ...['server', 'requests/s sent', 'responses/s', 'CPU per request', 'of bare Node'],
      ...['p99', 'p99 of bare Node', 'of bare Node', 'delay of the event loop'],
    ],
    lines,
  );
}

const loopDelayOf = async ({ loopDelayFile, server }: Subject): Promise<number> =>
  loopDelayFile === undefined ? Number.NaN : takeLoopDelay(server.pid, loopDelayFile);

const loadOf = (subject: Subject): Load => ({
  port: portOf(subject.server),
  requests: requestsOf(subject),
  connections: CONNECTIONS,
});

/** Loads a subject, after a warm-up that does not count. */
export async function loadRound(
  generate: GenerateLoad,
  subject: Subject,
  { seconds, rate }: { readonly seconds: number; readonly rate?: number },
): Promise<Round> {
  const load = { ...loadOf(subject), ...(rate !== undefined && { rate }) };
  await generate({ ...load, seconds: WARM_UP_SECONDS });
  await loopDelayOf(subject);
  const before = await cpuMicroseconds(subject.server.pid);
  const result = await generate({ ...load, seconds });
  const spent = (await cpuMicroseconds(subject.server.pid)) - before;
  return { ...result, cpuPerRequest: spent / result.requests, loopDelay: await loopDelayOf(subject) };
}

/** Sends each request once, which is a miss, and proves that the next is a hit. */
async function fill(generate: GenerateLoad, subject: Subject): Promise<void> {
  const requests = requestsOf(subject);
  const { failures } = await generate({
    ...{ port: portOf(subject.server), requests, connections: FILLING_CONNECTIONS, times: requests.length },
  });
  if (failures > 0) print(`${subject.name}: ${failures} of ${requests.length} first requests failed`);
  await requireHit(subject);
}
