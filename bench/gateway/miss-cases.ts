import { fileURLToPath } from 'node:url';

import type { HttpRequest } from '../measuring/http-request.js';
import { startDeployed, type Build, type Builds, type Deployment } from './deployed-gateway.js';
import { trendTarget } from './hit-subjects.js';
import { BARE, type MissCase, type MissSubject } from './measure-misses.js';
import type { ServerProcess } from '../servers/server-process.js';
import { startPeers, startTrickster, type Peer, type PeerPrograms } from './peers.js';
import { callOf, recordQueries, settingsOf, type RecordedQuery } from './recorded-query.js';
import { startOwnCode } from '../own-code/run-own-code.js';

export interface MissOptions extends Deployment {
  readonly builds: Builds;
  readonly apiKey: string;
  readonly redisUrl: string | undefined;
  readonly programs: PeerPrograms;
}

/** Stands for a value in a recorded query; others of the same length take its place. */
const TOKEN = '918273';
/** Names and targets of the queries: small results but for the last. */
const QUERIES = [
  ['functions.invocation-stats', `functions.invocation-stats?project=none-${TOKEN}&interval=1hr`],
  ['usage.api-counts', `usage.api-counts?project=none-${TOKEN}&interval=hourly`],
  ['get-grouped-stats-redirects', `get-grouped-stats-redirects?event_name=/none/${TOKEN}`],
  ['logs.all', `logs.all?project=none-${TOKEN}`],
  [
    'get-grouped-stats-events-logs',
    `get-grouped-stats-events-logs?country=JP&device=tablet&start_time=2020-01-01T00:00:00.${TOKEN}Z`,
  ],
] as const;
const LARGE = QUERIES.length - 1;
const BARE_PROXY = fileURLToPath(new URL('../servers/bare-proxy.js', import.meta.url));

let used = 100_000;
/** A value of the token's length that no request had before. */
const nextValue = (): string => String((used += 1));
const withFreshValue = (text: string): string => text.replaceAll(TOKEN, nextValue());

/** A request whose result is empty, with a value that no request had before. */
export const smallMiss =
  (apiKey: string) =>
  (gateway: string): HttpRequest => ({
    url: `${gateway}/api/endpoints/query/${withFreshValue(QUERIES[0][1])}`,
    method: 'GET',
    headers: { 'X-API-KEY': apiKey, 'Accept-Encoding': 'identity' },
  });

/** A way to the result of any of the queries. */
interface Way {
  readonly name: string;
  readonly baseline?: string;
  /** Whether its CPU is measured. */
  readonly server?: ServerProcess;
  /** Encodings in which the large response is also requested. */
  readonly encodings?: readonly string[];
  readonly requestFor: (query: number, encoding: string) => HttpRequest;
}

/** Starts the gateways and the peers, and describes the requests to them. */
export async function startMissCases(options: MissOptions): Promise<readonly MissCase[]> {
  const ways: Way[] = [];
  for (const build of options.builds) ways.push(...(await startWays(options, build)));
  const cases = QUERIES.map(([query], index): MissCase => {
    const subjects = ways.flatMap((way) =>
      ['identity', ...(index === LARGE ? (way.encodings ?? []) : [])].map((encoding) =>
        subjectOf(way, index, encoding),
      ),
    );
    return { query, subjects };
  });
  return [...cases, ...(await startTricksterCase(options))];
}

function subjectOf(way: Way, query: number, encoding: string): MissSubject {
  return {
    name: encoding === 'identity' ? way.name : `${way.name}, ${encoding}`,
    ...(way.baseline !== undefined && { baseline: way.baseline }),
    ...(way.server && { pid: way.server.pid }),
    next: () => way.requestFor(query, encoding),
  };
}

/** The gateways of a build, the queries that they send, and, for this build, the peers. */
async function startWays(options: MissOptions, build: Build): Promise<readonly Way[]> {
  const { stage, apiKey, programs, redisUrl } = options;
  const { readerConnection: connection } = build.clickhouse;
  const targets = QUERIES.map(([, target]) => `/api/endpoints/query/${target}`);
  const queries = await recordQueries(
    options,
    build,
    targets.map((target) => callOf(target, apiKey)),
  );
  const baseline = `${build.label}direct`;
  const gatewayWay = (name: string, server: ServerProcess): Way => ({
    ...{ name: build.label + name, baseline, server, encodings: ['gzip', 'br'] },
    requestFor: (query, encoding) => ({
      url: server.url + withFreshValue(targets[query] ?? ''),
      method: 'GET',
      headers: { 'X-API-KEY': apiKey, 'Accept-Encoding': encoding },
    }),
  });
  const plain = await startDeployed(options, build);
  const ways = [directWay(baseline, connection.url, queries), gatewayWay('Querygate as `npm start`', plain)];
  if (build !== options.builds[0]) return ways;
  if (redisUrl !== undefined) {
    const composed = await startDeployed(options, build, {
      REDIS_URL: redisUrl,
      CACHE_KEY_PREFIX: 'misses:',
    });
    ways.push(gatewayWay('Querygate with Redis', composed));
    ways.push(await startOwnWay(options, redisUrl, baseline, queries));
  }
  ways.push(await startProxyWay(options, baseline, queries));
  const peers = await startPeers({ stage, clickhouse: connection, queries }, programs);
  return [...ways, ...peers.map((peer) => peerWay(baseline, peer, queries))];
}

/** The very requests that a gateway sent, without it. */
function directWay(name: string, url: string, queries: readonly RecordedQuery[]): Way {
  return {
    name,
    requestFor: (index) => {
      const { target, headers, body } = fresh(queries[index]);
      return { url: url + target, method: 'POST', headers, body };
    },
  };
}

/** What any gateway in Node costs at least. */
async function startProxyWay(
  { stage, builds: [{ clickhouse }] }: MissOptions,
  baseline: string,
  queries: readonly RecordedQuery[],
): Promise<Way> {
  const options = { clickhouse: clickhouse.readerConnection.url, token: TOKEN, queries };
  const server = await stage.startModule(BARE_PROXY, [JSON.stringify(options)]);
  return {
    ...{ name: BARE, baseline, server, encodings: ['gzip'] },
    requestFor: (query, encoding) => ({
      url: `${server.url}/${query}/${nextValue()}`,
      method: 'GET',
      headers: { 'Accept-Encoding': encoding },
    }),
  };
}

/** What users write instead: a route of Fastify with ClickHouse's client and a cache in Redis. */
async function startOwnWay(
  { stage, apiKey, builds: [{ clickhouse }] }: MissOptions,
  redisUrl: string,
  baseline: string,
  queries: readonly RecordedQuery[],
): Promise<Way> {
  const texts = queries.map((query) => ({
    text: query.body.replace(/\nFORMAT [^]*$/, ''),
    settings: Object.fromEntries(settingsOf(query)),
  }));
  const server = await startOwnCode(stage, 'misses.txt', clickhouse.readerConnection, {
    ...{ API_KEY: apiKey, REDIS_URL: redisUrl, QUERIES: JSON.stringify(texts), TOKEN },
  });
  return {
    ...{ name: 'own code with Redis', baseline, server },
    requestFor: (query) => ({
      url: `${server.url}/${query}/${nextValue()}`,
      method: 'GET',
      headers: { 'X-API-KEY': apiKey, 'Accept-Encoding': 'identity' },
    }),
  };
}

function peerWay(baseline: string, { name, server, targetOf }: Peer, queries: readonly RecordedQuery[]): Way {
  return {
    ...{ name, baseline },
    requestFor: (index, encoding) => ({
      url: server.url + targetOf(fresh(queries[index])),
      method: 'GET',
      headers: { 'Accept-Encoding': encoding },
    }),
  };
}

/** A recorded query with a value that no request had before. */
function fresh(query: RecordedQuery | undefined): RecordedQuery {
  if (!query) throw new Error('the query was not recorded');
  const value = nextValue();
  return {
    target: query.target.replaceAll(TOKEN, value),
    headers: { ...query.headers, 'accept-encoding': 'identity' },
    body: query.body.replaceAll(TOKEN, value),
  };
}

/** Trickster and its own query, sent to ClickHouse too. */
async function startTricksterCase({
  stage,
  builds: [{ clickhouse }],
  programs,
}: MissOptions): Promise<readonly MissCase[]> {
  if (programs.trickster === undefined) return [];
  const { url, username, password } = clickhouse.readerConnection;
  const { url: trickster } = await startTrickster(
    { stage, clickhouse: clickhouse.readerConnection },
    programs.trickster,
  );
  const credentials = { 'X-ClickHouse-User': username, 'X-ClickHouse-Key': password };
  const next = (server: string) => (): HttpRequest => ({
    url: server + trendTarget(`none-${nextValue()}`),
    method: 'GET',
    headers: { ...credentials, 'Accept-Encoding': 'identity' },
  });
  return [
    {
      query: 'counts by hour',
      subjects: [
        { name: 'direct', next: next(url) },
        { name: 'Trickster', baseline: 'direct', next: next(trickster) },
      ],
    },
  ];
}
