/** `npm run bench:memory`: memory of a gateway whose cache is full, hits among many entries, and large responses. */
import { Command, Option } from 'commander';

import { printMachine } from './measuring/print.js';
import { measureFullCache } from './memory/full-cache.js';
import { measureLargeResponses } from './memory/large-responses.js';
import { measureManyEntries } from './memory/many-entries.js';
import { runBenchmark } from './run-benchmark.js';
import { wholeNumber } from './whole-number.js';

interface Options {
  readonly minutes: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly requests: number;
  readonly cacheMb: number;
  readonly bytes?: number;
  readonly only?: 'churn' | 'hits' | 'responses';
}

await runBenchmark(
  new Command('bench:memory')
    .description(
      'Measures the memory of a gateway whose cache is full, hits among 200,000 entries, and the memory of ClickHouse and ' +
        'of the gateway during concurrent large responses (Linux).',
    )
    .option('--minutes <n>', 'of new requests at a full cache', wholeNumber, 10)
    .option('--cache-mb <n>', 'CACHE_MEMORY_MB meanwhile', wholeNumber, 512)
    .option('--bytes <n>', 'of the responses at a full cache; default: 500, then 6000', wholeNumber)
    .option('--rounds <n>', 'times that hits are measured', wholeNumber, 5)
    .option('--seconds <n>', 'of each load of hits', wholeNumber, 2)
    .option('--requests <n>', 'with large responses, sent at the same time', wholeNumber, 200)
    .addOption(new Option('--only <part>', 'measure one part').choices(['churn', 'hits', 'responses'])),
  async ({ rounds, seconds, requests, only, ...churn }: Options, stage) => {
    printMachine('gateways, ClickHouse and the load generators share these cores');
    if (only === undefined || only === 'churn') await measureFullCache(stage, churn);
    if (only === undefined || only === 'hits') await measureManyEntries(stage, { rounds, seconds });
    if (only === undefined || only === 'responses') await measureLargeResponses(stage, requests);
  },
);
