import { readFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import type { Profiler } from 'node:inspector';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { sendRequest, type HttpRequest } from '../measuring/http-request.js';
import { print, printTable } from '../measuring/print.js';
import { startDeployed, type Build, type Deployment } from './deployed-gateway.js';

const PRELOADED = new URL('../servers/profile-on-signal.js', import.meta.url);
/** Until V8 has compiled what runs often. */
const WARM_UP = 2000;
const SETTLE_MS = 200;

/** The steps of a miss, and the built files that belong to each; the first that matches counts. */
const STEPS: readonly (readonly [step: string, files: RegExp])[] = [
  [
    'router and handlers',
    /node_modules\/(?:router|express|finalhandler|path-to-regexp|parseurl|encodeurl|debug)\/|http\/app|call-endpoint|server\/create-listener/,
  ],
  [
    'log, metrics, usage',
    /observability\/|prom-client|winston|access-log|request-record|request-log|usage-ledger|hit-counts|warming\//,
  ],
  ['what every response carries', /http\/transport\//],
  ['authenticate', /gateway\/auth\/|call\/credentials/],
  ['limits', /gateway\/limits\/|limit-requests/],
  ['fast path, which does not apply', /fast-path|known-targets/],
  ['parse', /call\/(?:sent-call|query-string|undeclared|find-endpoint|run-call)/],
  ['validate', /read-call|validate-parameters|endpoint\/parameters|choose-representation/],
  ['bind', /dist\/endpoint\/|endpoint-query/],
  ['cache key', /cache-key/],
  ['look up and store', /execute-call|gateway\/cache\/|lru-cache/],
  ['single flight', /single-flight|shared-requester|fetch-result|coordination\//],
  ['queue and pool', /scheduler\/|steady-clock/],
  ['send to ClickHouse, read its response', /gateway\/clickhouse\/|query\/signal|@clickhouse/],
  ['prove and digest', /gateway\/formats\/|encode-bodies|endpoint-result/],
  ['respond', /http\/result\//],
];
const [COLLECTOR, IDLE, OF_NODE] = ['garbage collection', 'idle', 'Node itself'] as const;

/** Misses one at a time, of which the steps are measured inside the process, by samples of its CPU profile. */
export async function measureSteps(
  deployment: Deployment,
  build: Build,
  request: (url: string) => HttpRequest,
  misses: number,
): Promise<void> {
  const file = path.join(deployment.stage.folder, 'profile.json');
  const gateway = await startDeployed(deployment, build, {
    NODE_OPTIONS: `--import ${PRELOADED.href}`,
    PROFILE_FILE: file,
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = async (times: number): Promise<void> => {
    for (let sent = 0; sent < times; sent += 1) await sendRequest(agent, request(gateway.url));
  };
  await send(WARM_UP);
  process.kill(gateway.pid, 'SIGUSR2');
  await delay(SETTLE_MS);
  await send(misses);
  agent.destroy();
  await gateway.stop();
  const profile = JSON.parse(await readFile(file, 'utf8')) as Profiler.Profile;
  const microseconds = microsecondsByStep(profile);
  microseconds.delete(IDLE);
  const total = [...microseconds.values()].reduce((sum, each) => sum + each, 0);
  const order = [...STEPS.map(([step]) => step), OF_NODE, COLLECTOR];
  printTable(
    ['step of a miss', 'CPU', 'share'],
    [
      ...order.map((step): readonly [string, number] => [step, microseconds.get(step) ?? 0]),
      ['all', total] as const,
    ].map(([step, spent]) => [
      step,
      `${(spent / misses).toFixed(0)} µs`,
      `${((spent / total) * 100).toFixed(1)} %`,
    ]),
  );
  print('\nMain thread only, with the profiler on. What a step calls in Node counts for the step.');
}

function microsecondsByStep({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Map<string, number> {
  const stepOf = new Map<number, string>();
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  // A parent comes before its children.
  for (const { id, callFrame } of nodes)
    stepOf.set(id, stepOfFrame(callFrame) ?? stepOf.get(parents.get(id) ?? 0) ?? OF_NODE);
  const sums = new Map<string, number>();
  for (const [index, sample] of samples.entries()) {
    const step = stepOf.get(sample) ?? OF_NODE;
    sums.set(step, (sums.get(step) ?? 0) + (timeDeltas[index] ?? 0));
  }
  return sums;
}

function stepOfFrame({ functionName, url }: Profiler.ProfileNode['callFrame']): string | undefined {
  if (functionName === '(garbage collector)') return COLLECTOR;
  if (functionName === '(idle)') return IDLE;
  const file = url.startsWith('file:') ? fileURLToPath(url) : url;
  return STEPS.find(([, files]) => files.test(file))?.[0];
}
