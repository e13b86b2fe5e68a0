import { startLoadGenerator, type GenerateLoad } from '../gateway/generate-load.js';
import { loadRound, type Round, type Rounds } from '../gateway/measure-hits.js';
import { formatRatio, median } from '../gateway/ratio.js';
import { requireHit, type Subject } from '../gateway/subject.js';
import { formatCount, formatMegabytes, formatMs, print, printTable } from '../measuring/print.js';
import { residentBytes } from '../measuring/resident-memory.js';
import type { Stage } from '../stage.js';
import { startBeforeCanned, type Keys } from './canned-gateway.js';
import { sendEach, targetsFrom } from './full-cache.js';

const [FEW, MANY] = [1000, 200_000] as const;
const BYTES = 500;
const FILLED_AT_ONCE = 10_000;
/** Requests of one round: as many for the load generator at every subject. */
const OF_A_ROUND = 50_000;
/** Prime, so that its multiples come in no order that memory has. */
const STRIDE = 7919;
const LEAVES_OUT = `
Responses of ${BYTES} bytes, of a fake that responds at once, not of ClickHouse; CACHE_MEMORY_MB=512; both gateways run at the same
time, and the rounds are interleaved. Requests that are sent again after many others find nothing of theirs in the caches of the CPU.`;

/** Measures hits at a gateway with many entries beside those at one with few, and prints a table. */
export async function measureManyEntries(stage: Stage, { rounds, seconds }: Rounds): Promise<void> {
  const keys = await stage.writeKeys({ one: {} });
  const generate = startLoadGenerator(stage);
  const few = await startFilled(stage, keys, generate, FEW);
  const many = await startFilled(stage, keys, generate, MANY);
  const subjects = [
    { ...few, of: FEW },
    { ...many, name: `${many.name}, all of them requested`, of: MANY },
    { ...many, name: `${many.name}, ${formatCount(FEW)} of them requested`, of: FEW },
  ];
  const results = subjects.map((subject) => ({ subject, series: [] as Round[] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { subject, series } of round % 2 === 0 ? results : results.toReversed()) {
      const targets = sample(subject.of, round);
      series.push(await loadRound(generate, { ...subject, targets }, { seconds }));
    }
  }
  const [baseline = []] = results.map(({ series }) => series);
  const lines = results.map(({ subject, series }) => {
    const of = (field: keyof Round): [number[], number[]] => [
      series.map((each) => each[field]),
      baseline.map((each) => each[field]),
    ];
    const [[rates, baseRates], [cpu, baseCpu]] = [of('requestsPerSecond'), of('cpuPerRequest')];
    return [
      subject.name,
      median(rates).toFixed(0),
      formatRatio(rates, baseRates),
      `${median(cpu).toFixed(1)} µs`,
      formatRatio(cpu, baseCpu),
      formatMs(median(of('p99')[0])),
      series.reduce((sum, { failures }) => sum + failures, 0),
    ];
  });
  printTable(['gateway', 'hits/s', 'ratio', 'CPU of a hit', 'ratio', 'p99', 'failures'], lines);
  print(LEAVES_OUT);
}

type Filled = Omit<Subject, 'targets'>;

async function startFilled(
  stage: Stage,
  keys: Keys,
  generate: GenerateLoad,
  entries: number,
): Promise<Filled> {
  const gateway = await startBeforeCanned(stage, keys, `${formatCount(entries)} entries`, {
    CACHE_MEMORY_MB: '512',
  });
  const empty = await residentBytes(gateway.server.pid);
  let failures = 0;
  for (let first = 0; first < entries; first += FILLED_AT_ONCE) {
    const targets = targetsFrom(BYTES, first, Math.min(FILLED_AT_ONCE, entries - first));
    failures += await sendEach(generate, { ...gateway, targets });
  }
  const used = (await residentBytes(gateway.server.pid)) - empty;
  print(`${gateway.name}: ${failures} failures, ${formatMegabytes(used)} above the empty gateway`);
  await requireHit({ ...gateway, targets: targetsFrom(BYTES, 0, 1) });
  return gateway;
}

/** Requests of the first entries, in an order that differs from round to round. */
const sample = (entries: number, round: number): readonly string[] =>
  Array.from(
    { length: OF_A_ROUND },
    (_, index) => targetsFrom(BYTES, ((round * OF_A_ROUND + index) * STRIDE) % entries, 1)[0] ?? '',
  );
