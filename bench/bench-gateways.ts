/** `npm run bench:gateways`: hits and misses of several gateways, and a rolling restart under load. */
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';

import { usageError } from '../src/commands/cli/exit-codes.js';
import { prepareDatabase } from '../src/commands/demo-data/prepare-database.js';
import { compareFleets } from './gateways/compare-fleets.js';
import { restartUnderLoad } from './gateways/restart-under-load.js';
import { print, printMachine } from './measuring/print.js';
import { CONNECTIONS } from './measuring/throughput.js';
import { runBenchmark } from './run-benchmark.js';
import { startRedis } from './servers/redis.js';
import { hasProgram } from './servers/server-process.js';
import { wholeNumber } from './whole-number.js';
import { REFERENCE } from './reference-project.js';

interface Options {
  readonly seconds: number;
  readonly rounds: number;
  readonly gateways: readonly number[];
}

const HIT = '/api/endpoints/query/functions.invocation-stats?project=aurora&interval=1day';
/** Without caching: each request runs a query. */
const MISS = '/api/endpoints/query/logs.all?project=aurora';
const CANNED = fileURLToPath(new URL('servers/canned-clickhouse.js', import.meta.url));
const LIMIT = { limits: { requests: { quota: 1_000_000_000, window: 60 } } };

await runBenchmark(
  new Command('bench:gateways')
    .description(
      'Measures gateways that share a Redis, behind nginx with the configuration of deploy/, and a rolling restart under load. ' +
        'It needs nginx and redis-server on this machine (apt-get install nginx redis-server).',
    )
    .option('--seconds <n>', 'of load on each', wholeNumber, 5)
    .option('--rounds <n>', 'times that each is loaded', wholeNumber, 3)
    .option('--gateways <list>', 'how many gateways, such as 1,2,4', sizes, [1, 2, 4]),
  async ({ seconds, rounds, gateways }: Options, stage) => {
    const missing = ['nginx', 'redis-server'].filter((program) => !hasProgram(program));
    if (missing.length > 0) throw usageError(`bench:gateways needs ${missing.join(' and ')} on this machine`);
    const clickhouse = await stage.startClickHouse();
    await prepareDatabase(clickhouse.adminConnection, {
      schemaFolder: REFERENCE.schemaFolder,
      demo: { folder: REFERENCE.demoFolder, upTo: new Date() },
    });
    const { file, keys } = await stage.writeKeys({ free: {}, limited: LIMIT });
    const environment = { API_KEYS_FILE: file, REDIS_URL: await startRedis(stage) };
    const measure = { stage, seconds, rounds, sizes: gateways, environment };
    printMachine(`${CONNECTIONS} connections`);
    print('Gateways, nginx, Redis, ClickHouse and the load generator share these cores.');
    await compareFleets(measure, clickhouse.readerConnection, [
      { name: 'hits', target: HIT, apiKey: keys.free },
      { name: 'hits, of a key with a limit', target: HIT, apiKey: keys.limited },
      { name: 'misses, ClickHouse', target: MISS, apiKey: keys.free },
    ]);
    // A fake ClickHouse that responds at once shows the limit of the gateways themselves.
    const { url } = await stage.startModule(CANNED, []);
    const canned = { url, username: 'default', password: '', database: 'logs' };
    await compareFleets(measure, canned, [
      { name: 'misses, ClickHouse a stand-in', target: MISS, apiKey: keys.free },
    ]);
    await restartUnderLoad(
      stage,
      { size: Math.max(2, ...gateways), connection: clickhouse.readerConnection, environment },
      keys.free,
      { hits: HIT, misses: MISS },
    );
  },
);

function sizes(text: string): readonly number[] {
  try {
    return text.split(',').map(wholeNumber);
  } catch {
    throw new InvalidArgumentError('It must be whole numbers from 1, separated by commas.');
  }
}
