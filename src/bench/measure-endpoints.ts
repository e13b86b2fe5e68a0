import type { ClickHouseClient } from '@clickhouse/client';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

import { createQueryRunner } from '../clickhouse/query-runner.js';
import { bindQuery, type BoundQuery } from '../endpoint/bind.js';
import { rowCap, type Endpoint } from '../endpoint/endpoint.js';
import type { EndpointRegistry } from '../endpoint/registry.js';
import { validateParameters } from '../execution/validate-parameters.js';
import { timeInTurn, type Latency } from './latency.js';

/** A question to measure: an endpoint with the parameters of a call. */
export interface Question {
  readonly endpoint: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** What is special about it, for the table. */
  readonly label: string;
}

export interface Measurement {
  readonly question: Question;
  readonly overHttp: Latency;
  readonly bareQuery: Latency;
  readonly rows: number;
  readonly rowsRead: number;
  readonly bytesRead: number;
}

export interface Subjects {
  readonly endpoints: EndpointRegistry;
  /** Where the gateway listens, and a key that it accepts. */
  readonly gateway: { readonly url: string; readonly apiKey: string };
  /** The same ClickHouse, as the same user, that the gateway asks. */
  readonly client: ClickHouseClient;
}

/**
 * Asks a question over HTTP and as the bare query through the ClickHouse client, in turn.
 *
 * @throws Error where the gateway does not answer 200.
 */
export async function measure(subjects: Subjects, question: Question, rounds: number): Promise<Measurement> {
  const endpoint = subjects.endpoints.find(question.endpoint);
  if (!endpoint) throw new Error(`no endpoint ${question.endpoint}`);
  const bind = binder(endpoint, question.parameters);
  const { rowCount, rowsRead, bytesRead } = await createQueryRunner(subjects.client, { timeoutMs: 60_000 })({
    query: bind(),
    columns: endpoint.columns,
    rowCap: rowCap(endpoint),
    requestId: 'bench',
    signal: new AbortController().signal,
  });
  const agent = new Agent({ keepAlive: true });
  try {
    const [overHttp, bareQuery] = await timeInTurn(
      rounds,
      () => askGateway(agent, subjects.gateway, question),
      () => askClickHouse(subjects.client, bind()),
    );
    return { question, overHttp, bareQuery, rows: rowCount, rowsRead, bytesRead };
  } finally {
    agent.destroy();
  }
}

/** Binds the question anew for each call, as the gateway does. */
function binder(endpoint: Endpoint, parameters: Readonly<Record<string, string>>): () => BoundQuery {
  const raw = new Map(Object.entries(parameters).map(([name, text]) => [name, { text, times: 1 }]));
  const values = validateParameters(endpoint, raw);
  return () => bindQuery(endpoint.query, values, new Set(), new Date(), rowCap(endpoint) + 1);
}

/** The whole way each time, past any cached result. */
async function askGateway(
  agent: Agent,
  { url, apiKey }: Subjects['gateway'],
  { endpoint, parameters }: Question,
): Promise<void> {
  const query = new URLSearchParams(parameters).toString();
  const request = get(`${url}/api/endpoints/query/${endpoint}?${query}`, {
    agent,
    headers: { 'X-API-KEY': apiKey, 'Cache-Control': 'no-cache' },
  });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const body = await text(response);
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${body}`);
}

async function askClickHouse(
  client: ClickHouseClient,
  { text: query, parameters, settings = {} }: BoundQuery,
): Promise<void> {
  const result = await client.query({
    query,
    query_params: parameters,
    clickhouse_settings: settings,
    format: 'JSONEachRow',
  });
  await result.text();
}
