/** `npm run bench:cached`: the speed of cache hits. */
import { Command } from 'commander';

import { prepareDatabase } from '../src/clickhouse/demo-data/prepare-database.js';
import { HANDLER_CONFIG, compareHits } from './cached/compare-hits.js';
import { countColdQueries } from './cached/count-cold-queries.js';
import { fillCache } from './cached/fill-cache.js';
import { printMachine } from './measuring/print.js';
import { CONNECTIONS } from './measuring/throughput.js';
import { runBenchmark } from './run-benchmark.js';
import { wholeNumber } from './whole-number.js';
import { REFERENCE } from './reference-project.js';

interface Options {
  readonly seconds: number;
  readonly sets: number;
  readonly redis?: string;
}

await runBenchmark(
  new Command('bench:cached')
    .description('Measures hits of the cache against bare servers that send the same bytes.')
    .option('--seconds <n>', 'of load on each', wholeNumber, 5)
    .option(
      '--sets <n>',
      'distinct parameter sets to fill the cache with, some 2,000 a second',
      wholeNumber,
      200_000,
    )
    .option('--redis <url>', 'a Redis to share between two gateways'),
  async ({ seconds, sets, redis }: Options, stage) => {
    const clickhouse = await stage.startClickHouse({ extraConfig: HANDLER_CONFIG });
    await prepareDatabase(clickhouse.adminConnection, {
      schemaFolder: REFERENCE.schemaFolder,
      demo: { folder: REFERENCE.demoFolder, upTo: new Date() },
    });
    printMachine(`${CONNECTIONS} connections`);
    await compareHits(stage, clickhouse, seconds);
    await fillCache(stage, seconds, sets);
    await countColdQueries(stage, clickhouse, redis);
  },
);
