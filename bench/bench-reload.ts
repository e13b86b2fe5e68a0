/** `npm run bench:reload`: what reloads cost, and what callers notice of them. */
import { Command } from 'commander';

import { printMachine } from './measuring/print.js';
import { CONNECTIONS } from './measuring/throughput.js';
import { measureDevelopmentServer } from './reload/measure-development-server.js';
import { measureGateway } from './reload/measure-gateway.js';
import { runBenchmark } from './run-benchmark.js';
import { wholeNumber } from './whole-number.js';

interface Options {
  readonly reloads: number;
  readonly rounds: number;
}

await runBenchmark(
  new Command('bench:reload')
    .description('Measures reloads of a project of 100 endpoints under load (Linux).')
    .option('--reloads <n>', 'of all 100 files, for the memory', wholeNumber, 1000)
    .option('--rounds <n>', 'reloads of each kind, for the times', wholeNumber, 10),
  async ({ reloads, rounds }: Options, stage) => {
    printMachine(
      `${CONNECTIONS} connections, each with 10 requests a second; access log and limits on, no Redis`,
    );
    await measureDevelopmentServer(stage, rounds);
    await measureGateway(stage, { reloads, rounds });
  },
);
