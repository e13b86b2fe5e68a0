import type { ClickHouseClient } from '@clickhouse/client';

import type { ClickHouseConnection } from '../../src/gateway/clickhouse/connection.js';
import type { EndpointRegistry } from '../../src/endpoint/registry.js';
import { bindEndpointQuery, urlOf, type EndpointQuery } from '../data/endpoint-queries.js';
import { costOf, httpGet, type Cost } from '../measuring/http-get.js';
import { sampleInTurn, summarise, timed, type Latency } from '../measuring/sampling.js';
import { handlerUrl } from './clickhouse-handlers.js';
import { straightforwardQuery } from './plain-tables.js';

/** One query on one size of data; times in milliseconds. */
export interface QueryMeasurement {
  readonly query: EndpointQuery;
  /** The first call, with ClickHouse's caches of marks and indices empty. */
  readonly cold: number;
  /** Over HTTP, bypassing the gateway's cache. */
  readonly uncached: Latency;
  readonly hit: Latency;
  /** The same SQL through ClickHouse's predefined_query_handler. */
  readonly handler: Latency;
  readonly cost: Cost;
  /** The straightforward query on plain tables, or a text that explains the missing figure. */
  readonly plain: Latency | string;
  readonly plainRowsRead: number;
}

export interface ScaleServers {
  readonly endpoints: EndpointRegistry;
  readonly gateway: { readonly url: string; readonly apiKey: string };
  readonly clickhouse: ClickHouseConnection;
  readonly client: ClickHouseClient;
  readonly plainDatabase: string;
}

/** Time limit of the straightforward query. */
const PLAIN_LIMITS = { max_execution_time: 60, max_memory_usage: '8000000000' };
/** Duration of sampling, in milliseconds. */
const PLAIN_ENOUGH_MS = 10_000;

/** @param index of the query among all queries, which is also the number of its handler. */
export async function measureQuery(
  servers: ScaleServers,
  query: EndpointQuery,
  index: number,
  rounds: number,
): Promise<QueryMeasurement> {
  const { endpoints, gateway, clickhouse, client } = servers;
  const key = { 'X-API-KEY': gateway.apiKey };
  const request = (headers: Readonly<Record<string, string>>): Promise<number> =>
    timed(() => httpGet(urlOf(gateway.url, query), headers));
  const uncached = (): Promise<number> => request({ ...key, 'Cache-Control': 'no-cache' });
  const viaHandler = async (): Promise<Cost> => {
    const bound = bindEndpointQuery(endpoints, query);
    const url = handlerUrl(clickhouse.url, clickhouse.database, index, bound);
    return costOf(await httpGet(url, credentialsOf(clickhouse)));
  };
  for (const cache of ['MARK', 'INDEX MARK', 'UNCOMPRESSED']) {
    await client.command({ query: `SYSTEM DROP ${cache} CACHE` });
  }
  const cold = await uncached();
  const [http, handler] = await sampleInTurn(rounds, [uncached, () => timed(viaHandler)]);
  const [hit] = await sampleInTurn(rounds, [() => request(key)]);
  if (!http || !handler || !hit) throw new Error('nothing was measured');
  const cost = await viaHandler();
  return { query, cold, uncached: http, handler, hit, cost, ...(await measurePlain(servers, query, rounds)) };
}

async function measurePlain(
  { clickhouse, plainDatabase }: ScaleServers,
  { endpoint, parameters }: EndpointQuery,
  rounds: number,
): Promise<Pick<QueryMeasurement, 'plain' | 'plainRowsRead'>> {
  const url = new URL(clickhouse.url);
  const settings = {
    ...PLAIN_LIMITS,
    database: plainDatabase,
    wait_end_of_query: 1,
    query: `${straightforwardQuery(endpoint, parameters)} FORMAT JSON`,
  };
  for (const [name, value] of Object.entries(settings)) url.searchParams.set(name, String(value));
  for (const [name, value] of Object.entries({ now: new Date().toISOString(), ...parameters })) {
    url.searchParams.set(`param_${name}`, value.replace(/Z$/, ''));
  }
  const samples: number[] = [];
  let plainRowsRead = 0;
  const run = async (): Promise<void> => {
    plainRowsRead = costOf(await httpGet(url.href, credentialsOf(clickhouse))).rowsRead;
  };
  const enoughAt = performance.now() + PLAIN_ENOUGH_MS;
  try {
    while (samples.length < rounds && performance.now() < enoughAt) samples.push(await timed(run));
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

const credentialsOf = ({ username, password }: ClickHouseConnection): Readonly<Record<string, string>> => ({
  'X-ClickHouse-User': username,
  'X-ClickHouse-Key': password,
});
