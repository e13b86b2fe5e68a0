import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

import { sendRequest } from '../measuring/http-request.js';
import { cpuMicroseconds } from '../measuring/cpu-time.js';
import { formatMs, print, printTable } from '../measuring/print.js';
import { sampleInTurn, summarise, timed } from '../measuring/sampling.js';
import { median } from '../gateway/ratio.js';
import { GET, MCP, POST, type EndpointCall, type Target, type Way } from './ways.js';

/** A query, and what of its result a tool returns. */
export interface CallCase {
  readonly about: string;
  /** Calls with other numbers are of other results. */
  readonly callOf: (number: number) => EndpointCall;
}

/** Milliseconds by which a call by MCP may exceed the same HTTP request. */
const LIMIT_MS = 1;
const HTTP = [GET, POST] as const;
const WAYS: readonly Way[] = [...HTTP, ...MCP];
const CONNECTIONS = 8;
/** About the time of a query. */
const PAUSE_MS = 40;
/** Rows that a tool returns where the call does not say. */
const DEFAULT_ROWS = 50;
const LARGE = 'get-grouped-stats-events-logs';

let used = 0;
/** A number that no call had before. */
const nextNumber = (): number => (used += 1);

/** The calls to measure. */
export interface Cases {
  readonly hits: readonly CallCase[];
  readonly misses: readonly CallCase[];
}

/** Describes the calls to measure. @throws Error where a result has too few rows to be cut */
export async function findCases(target: Target): Promise<Cases> {
  const stats = (): EndpointCall => ({
    endpoint: 'functions.invocation-stats',
    parameters: { project: 'aurora', interval: '1day' },
  });
  const counts = (number: number): EndpointCall => ({
    endpoint: 'usage.api-counts',
    parameters: { project: `aurora|none-${number}`, interval: 'daily' },
  });
  const events = (number: number): EndpointCall => ({
    endpoint: LARGE,
    parameters: { device: 'tablet', start_time: `2020-01-01T00:00:00.${String(number).padStart(6, '0')}Z` },
  });
  const large = await sizeOf(target, events(0));
  if (large.rows <= DEFAULT_ROWS) throw new Error(`${LARGE} has only ${large.rows} rows`);
  const all = async (callOf: CallCase['callOf']): Promise<CallCase> => {
    const { rows, kilobytes } = await sizeOf(target, callOf(0));
    return { about: `all ${rows} rows (${kilobytes} kB)`, callOf };
  };
  const of = `of ${large.rows} rows (${large.kilobytes} kB)`;
  const first = { about: `${DEFAULT_ROWS} ${of}`, callOf: events };
  const most = (number: number): EndpointCall => ({ ...events(number), maxRows: large.rows });
  return {
    hits: [await all(counts), await all(stats), first, { about: `64 KiB ${of}`, callOf: most }],
    misses: [await all(counts), first],
  };
}

async function sizeOf(
  target: Target,
  call: EndpointCall,
): Promise<{ readonly rows: number; readonly kilobytes: string }> {
  const agent = new Agent();
  const { headers, body } = await sendRequest(agent, GET.requestFor(target, call));
  return { rows: Number(headers['x-row-count']), kilobytes: (body.length / 1000).toFixed(1) };
}

/** Measures hits of one result on one connection, one after another, in turn by each way. */
export async function measureHits(target: Target, cases: readonly CallCase[], calls: number): Promise<void> {
  print(`\nHits: one connection, ${calls} calls by each way in turn`);
  await measureOneConnection(
    cases,
    calls,
    (way, { callOf }, agent) =>
      () =>
        sample(agent, target, way, callOf(0), true),
  );
}

/** Measures hits with a pause before each, as of agents that call rarely: the caches of the processor are then cold. */
export async function measureRareHits(
  target: Target,
  cases: readonly CallCase[],
  calls: number,
): Promise<void> {
  print(`\nHits, ${PAUSE_MS} ms apart: one connection, ${calls} calls by each way in turn`);
  await measureOneConnection(cases, calls, (way, { callOf }, agent) => async () => {
    await delay(PAUSE_MS);
    return sample(agent, target, way, callOf(0), true);
  });
}

/** Measures calls that cause a query each. */
export async function measureMisses(
  target: Target,
  cases: readonly CallCase[],
  calls: number,
): Promise<void> {
  print(`\nMisses: one connection, ${calls} calls by each way in turn`);
  await measureOneConnection(
    cases,
    calls,
    (way, { callOf }, agent) =>
      () =>
        sample(agent, target, way, callOf(nextNumber()), false),
  );
}

type Sampler = (way: Way, callCase: CallCase, agent: Agent) => () => Promise<number>;

async function measureOneConnection(
  cases: readonly CallCase[],
  calls: number,
  sampler: Sampler,
): Promise<void> {
  const lines: string[][] = [];
  const differences: number[] = [];
  for (const callCase of cases) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const samplers = WAYS.map((way) => sampler(way, callCase, agent));
    const latencies = await sampleInTurn(calls, samplers);
    agent.destroy();
    const medians = latencies.map(({ median: own }) => own);
    for (const [index, { name }] of WAYS.entries()) {
      const { median: own = NaN, p99 = NaN } = latencies[index] ?? {};
      const added = index < HTTP.length ? [] : HTTP.map((_, http) => own - (medians[http] ?? NaN));
      differences.push(...added);
      lines.push([
        callCase.about,
        name,
        formatMs(own),
        formatMs(p99),
        ...HTTP.map((_, http) => formatDifference(added[http])),
      ]);
    }
  }
  const adds = HTTP.map(({ name }) => `adds to ${name}`);
  printTable(['rows', 'way', 'median', 'p99', ...adds], lines);
  const above = differences.filter((ms) => ms > LIMIT_MS).length;
  print(`${above} of ${differences.length} differences exceed the limit of ${LIMIT_MS} ms.`);
}

const formatDifference = (ms: number | undefined): string => (ms === undefined ? '' : `${ms.toFixed(2)} ms`);

/** The milliseconds of one call. @throws Error where it is not the hit, or not the miss, that it should be */
async function sample(
  agent: Agent,
  target: Target,
  way: Way,
  call: EndpointCall,
  isHit: boolean,
): Promise<number> {
  const request = way.requestFor(target, call);
  const sentAt = Date.now();
  const startedAt = performance.now();
  const response = await sendRequest(agent, request);
  const milliseconds = performance.now() - startedAt;
  if (way.isHit(response, sentAt) !== isHit) {
    throw new Error(`${way.name}: a ${isHit ? 'miss' : 'hit'} of ${call.endpoint} was not expected`);
  }
  return milliseconds;
}

/** Options of a load. */
export interface LoadOptions {
  /** The gateway's process. */
  readonly pid: number;
  readonly rounds: number;
  /** By each way in each round. */
  readonly calls: number;
}

/** Measures hits on several connections, with one call at a time each: what each way costs the gateway's process. */
export async function measureLoad(
  target: Target,
  cases: readonly CallCase[],
  { pid, rounds, calls }: LoadOptions,
): Promise<void> {
  print(`\nHits: ${CONNECTIONS} connections, ${rounds} rounds of ${calls} calls by each way in turn`);
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const lines: string[][] = [];
  for (const { about, callOf } of cases) {
    const loads = WAYS.map((way) => ({ way, latencies: [] as number[], cpu: [] as number[] }));
    for (let round = 0; round < rounds; round += 1) {
      for (const { way, latencies, cpu } of round % 2 === 0 ? loads : loads.toReversed()) {
        const request = way.requestFor(target, callOf(0));
        const before = await cpuMicroseconds(pid);
        await loadFrom(calls, async () => {
          latencies.push(await timed(() => sendRequest(agent, request)));
        });
        cpu.push(((await cpuMicroseconds(pid)) - before) / calls);
      }
    }
    for (const { way, latencies, cpu } of loads) {
      const { median: middle, p99 } = summarise(latencies);
      lines.push([about, way.name, formatMs(middle), formatMs(p99), `${median(cpu).toFixed(0)} µs`]);
    }
  }
  agent.destroy();
  printTable(['rows', 'way', 'median', 'p99', 'CPU per call'], lines);
}

/** Makes calls from all connections, each after its last. */
async function loadFrom(calls: number, call: () => Promise<void>): Promise<void> {
  let left = calls;
  const connection = async (): Promise<void> => {
    while ((left -= 1) >= 0) await call();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
}
