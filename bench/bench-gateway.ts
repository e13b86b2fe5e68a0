/** `npm run bench:gateway`: hits and misses of the gateway as deployed, beside other caches in front of ClickHouse. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Command, Option } from 'commander';

import { countColdQueries } from './gateway/count-cold-queries.js';
import { startOtherBuild, startThisBuild } from './gateway/deployed-gateway.js';
import { startLoadGenerator } from './gateway/generate-load.js';
import { startHitSubjects } from './gateway/hit-subjects.js';
import { measureHits } from './gateway/measure-hits.js';
import { measureMissCpu, measureMisses, warmUp } from './gateway/measure-misses.js';
import { smallMiss, startMissCases } from './gateway/miss-cases.js';
import { measureSteps } from './gateway/measure-steps.js';
import { missingPeers } from './gateway/peers.js';
import { print, printMachine } from './measuring/print.js';
import { runBenchmark } from './run-benchmark.js';
import { startRedis } from './servers/redis.js';
import { hasProgram } from './servers/server-process.js';
import type { Stage } from './stage.js';
import { wholeNumber } from './whole-number.js';

interface Options {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUp: number;
  readonly misses: number;
  readonly only?: 'hits' | 'misses';
  readonly against?: string;
}

const KEYS = 20;
/** Queries of misses whose CPU is measured: one of an empty result, and one of a large one. */
const CPU_OF = new Set(['functions.invocation-stats', 'get-grouped-stats-events-logs']);
/** Misses of which the steps are measured. */
const STEP_MISSES = 2000;
const QUOTA = { limits: { requests: { quota: 1_000_000_000, window: 60 } } };

await runBenchmark(
  new Command('bench:gateway')
    .description(
      'Measures hits and misses of the gateway as deployed, in interleaved rounds, beside bare Node and the caches that are ' +
        'on this machine: nginx, Varnish, and the programs in BENCH_CHPROXY and BENCH_TRICKSTER.',
    )
    .option('--rounds <n>', 'times that each server is loaded with hits', wholeNumber, 5)
    .option('--seconds <n>', 'of each load', wholeNumber, 2)
    .option(
      '--warm-up <n>',
      'seconds of hits before the first round: at first a hit costs twice',
      wholeNumber,
      10,
    )
    .option('--misses <n>', 'misses of each query and server', wholeNumber, 60)
    .addOption(new Option('--only <part>', 'measure one part').choices(['hits', 'misses']))
    .option('--against <folder>', 'another checkout, built, to measure beside this one'),
  async (options: Options, stage) => {
    const build = await startThisBuild(stage);
    const others = options.against === undefined ? [] : [await startOtherBuild(stage, options.against)];
    const { file: keysFile, keys } = await stage.writeKeys(keyRights());
    const keysNamed = (prefix: string): string[] =>
      Object.entries(keys).flatMap(([name, key]) => (name.startsWith(prefix) ? [key] : []));
    const hasRedis = hasProgram('redis-server');
    const programs = { chproxy: process.env['BENCH_CHPROXY'], trickster: process.env['BENCH_TRICKSTER'] };
    const shared = {
      ...{ stage, keysFile, programs },
      builds: [build, ...others] as const,
      redisUrl: hasRedis ? await startRedis(stage) : undefined,
    };
    printMachine('gateways, other servers, ClickHouse and the load generator share these cores');
    const missing = [...(hasRedis ? [] : ['redis-server']), ...missingPeers(programs)];
    if (missing.length > 0) print(`not on this machine, so not measured: ${missing.join(', ')}`);
    if (options.only !== 'misses') {
      const subjects = await startHitSubjects({
        ...shared,
        freeKeys: keysNamed('free'),
        limitedKeys: keysNamed('limited'),
        collectorUrl: await startCollector(stage),
      });
      await measureHits(startLoadGenerator(stage), subjects, options);
      for (const { server } of [subjects.bare, ...subjects.others]) await server.stop();
      await countColdQueries(shared, build, keysNamed('free')[0] ?? '');
    }
    if (options.only !== 'hits') {
      const [apiKey = ''] = keysNamed('free');
      const cases = await startMissCases({ ...shared, apiKey });
      await warmUp(cases);
      await measureMisses(cases, options.misses);
      await measureMissCpu(
        cases.filter(({ query }) => CPU_OF.has(query)),
        options.rounds,
      );
      await measureSteps(shared, build, smallMiss(apiKey), STEP_MISSES);
    }
  },
);

function keyRights(): Readonly<Record<string, object>> {
  const names = Array.from({ length: KEYS }, (_, index) => index);
  return Object.fromEntries(
    names.flatMap((index) => [
      [`free-${index}`, {}],
      [`limited-${index}`, QUOTA],
    ]),
  );
}

/** Accepts traces, and discards them. */
async function startCollector(stage: Stage): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end('{}'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stage.closesWith(() => {
    server.closeAllConnections();
    return Promise.resolve(server.close());
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
