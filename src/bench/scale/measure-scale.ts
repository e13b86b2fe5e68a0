import type { ClickHouseClient } from '@clickhouse/client';

import type { BoundQuery } from '../../endpoint/bind.js';
import type { EndpointRegistry } from '../../endpoint/registry.js';
import { summarise, type Latency } from '../latency.js';
import { ask, costOf, type Cost } from './ask.js';
import { bindQuestion } from './handlers.js';
import { straightforwardQuery } from './plain-tables.js';
import type { ScaleQuestion } from './questions.js';

/** One question on one amount of data; times in milliseconds. */
export interface ScaleMeasurement {
  readonly question: ScaleQuestion;
  /** The first call, ClickHouse's caches of marks and indices emptied before. */
  readonly cold: number;
  /** Over HTTP, past the gateway's cache. */
  readonly uncached: Latency;
  readonly hit: Latency;
  /** The same SQL through ClickHouse's predefined_query_handler. */
  readonly handler: Latency;
  readonly cost: Cost;
  /** What one would ask of plain tables; a text says why there is no figure. */
  readonly plain: Latency | string;
  readonly plainRowsRead: number;
}

export interface ScaleSubjects {
  readonly endpoints: EndpointRegistry;
  readonly gateway: { readonly url: string; readonly apiKey: string };
  /** ClickHouse over HTTP, and headers that say who asks. */
  readonly clickhouse: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  readonly client: ClickHouseClient;
  readonly database: string;
  readonly plainDatabase: string;
}

/** More is not waited for: the straightforward query may take minutes. */
const PLAIN_LIMITS = { max_execution_time: 60, max_memory_usage: '8000000000' };
/** Milliseconds after which the straightforward query is not asked again. */
const PLAIN_ENOUGH_MS = 10_000;

/** @param index place of the question among all, which is that of its handler. */
export async function measureQuestion(
  subjects: ScaleSubjects,
  question: ScaleQuestion,
  index: number,
  rounds: number,
): Promise<ScaleMeasurement> {
  const { gateway, clickhouse, client } = subjects;
  const parameters = new URLSearchParams(question.parameters).toString();
  const url = `${gateway.url}/api/endpoints/query/${question.endpoint}?${parameters}`;
  const key = { 'X-API-KEY': gateway.apiKey };
  const viaHandler = (): Promise<Cost> => {
    const bound = bindQuestion(subjects.endpoints, question, new Date());
    return ask(handlerUrl(subjects, index, bound), clickhouse.headers).then(costOf);
  };
  for (const cache of ['MARK', 'INDEX MARK', 'UNCOMPRESSED']) {
    await client.command({ query: `SYSTEM DROP ${cache} CACHE` });
  }
  const cold = await timed(() => ask(url, { ...key, 'Cache-Control': 'no-cache' }));
  const samples: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    samples[0].push(await timed(() => ask(url, { ...key, 'Cache-Control': 'no-cache' })));
    samples[1].push(await timed(viaHandler));
  }
  const hits: number[] = [];
  for (let round = 0; round < rounds; round += 1) hits.push(await timed(() => ask(url, key)));
  return {
    question,
    cold,
    uncached: summarise(samples[0]),
    handler: summarise(samples[1]),
    hit: summarise(hits),
    cost: await viaHandler(),
    ...(await measurePlain(subjects, question, rounds)),
  };
}

async function measurePlain(
  { clickhouse, plainDatabase }: ScaleSubjects,
  { endpoint, parameters }: ScaleQuestion,
  rounds: number,
): Promise<Pick<ScaleMeasurement, 'plain' | 'plainRowsRead'>> {
  const query = straightforwardQuery(endpoint, parameters);
  const now = new Date().toISOString().slice(0, -1);
  const url = new URL(clickhouse.url);
  const settings = {
    ...PLAIN_LIMITS,
    database: plainDatabase,
    wait_end_of_query: 1,
    query: `${query} FORMAT JSON`,
  };
  for (const [name, value] of Object.entries(settings)) url.searchParams.set(name, String(value));
  for (const [name, value] of Object.entries({ now, ...parameters })) {
    url.searchParams.set(`param_${name}`, value.replace(/Z$/, ''));
  }
  const samples: number[] = [];
  let plainRowsRead = 0;
  const started = performance.now();
  try {
    while (samples.length < rounds && performance.now() - started < PLAIN_ENOUGH_MS) {
      samples.push(
        await timed(async () => {
          plainRowsRead = costOf(await ask(url.href, clickhouse.headers)).rowsRead;
        }),
      );
    }
  } catch (error) {
    return { plain: reasonOf(error), plainRowsRead };
  }
  return { plain: summarise(samples), plainRowsRead };
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (message.includes('TIMEOUT_EXCEEDED')) return `over ${PLAIN_LIMITS.max_execution_time} s`;
  if (message.includes('MEMORY_LIMIT_EXCEEDED')) return 'over 8 GB of memory';
  throw error;
}

function handlerUrl(
  { clickhouse, database }: ScaleSubjects,
  index: number,
  { parameters }: BoundQuery,
): string {
  const url = new URL(`/scale/${index}`, clickhouse.url);
  url.searchParams.set('database', database);
  url.searchParams.set('wait_end_of_query', '1');
  for (const [name, value] of Object.entries(parameters)) {
    url.searchParams.set(`param_${name}`, Array.isArray(value) ? `['${value.join("','")}']` : String(value));
  }
  return url.href;
}

async function timed(call: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await call();
  return performance.now() - started;
}
