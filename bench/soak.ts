/** `npm run soak`: load and, in turn, faults. */
import { Command } from 'commander';

import { runBenchmark } from './run-benchmark.js';
import { runAttacks } from './soak/run-attacks.js';
import { runFuzz } from './soak/run-fuzz.js';
import { runSoak } from './soak/run-soak.js';
import { wholeNumber } from './whole-number.js';

interface Options {
  readonly minutes: number;
  readonly rawHits: boolean;
  readonly fuzz?: true | number;
  readonly attack?: true | number;
}

const SECONDS = 60;

await runBenchmark(
  new Command('soak')
    .description('Loads a gateway while its ClickHouse is killed, stalled, unreachable and cut off in turn.')
    .option('--minutes <n>', 'of load and faults', Number, 2)
    .option('--no-raw-hits', 'let Node’s HTTP server respond to hits too')
    .option('--fuzz [seconds]', 'instead: random parameters and headers; seconds (default 60)', wholeNumber)
    .option(
      '--attack [seconds]',
      'instead: attacks while a caller sends cache hits; seconds per attack (default 60)',
      wholeNumber,
    ),
  ({ minutes, rawHits, fuzz, attack }: Options, stage) => {
    if (attack !== undefined) return runAttacks(stage, attack === true ? SECONDS : attack);
    if (fuzz !== undefined) return runFuzz(stage, fuzz === true ? SECONDS : fuzz);
    return runSoak(stage, minutes, { RAW_HITS: rawHits ? 'on' : 'off' });
  },
);
