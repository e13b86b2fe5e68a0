import { get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { buffer } from 'node:stream/consumers';

import { withLoopDelay } from '../measuring/loop-delay.js';
import { print } from '../measuring/print.js';
import { startOwnCode } from '../own-code/run-own-code.js';
import type { Environment, Stage } from '../stage.js';
import { startDeployed, type Build, type Builds, type Deployment } from './deployed-gateway.js';
import type { HitSubjects } from './measure-hits.js';
import { startPeers, startTrickster, type PeerPrograms } from './peers.js';
import { callOf, recordQueries, type RecordedQuery } from './recorded-query.js';
import type { Subject } from './subject.js';

/** Servers and keys of the hits. */
export interface HitOptions extends Deployment {
  readonly builds: Builds;
  readonly freeKeys: readonly string[];
  /** Keys with a request quota that the load does not reach. */
  readonly limitedKeys: readonly string[];
  /** Undefined where Redis is not installed. */
  readonly redisUrl: string | undefined;
  /** URL of an OpenTelemetry collector. */
  readonly collectorUrl: string;
  readonly programs: PeerPrograms;
}

/** Distinct requests. */
const REQUESTS = 1000;
const ORIGIN = 'https://app.example';
const BARE_SERVER = fileURLToPath(new URL('../servers/bare-server.js', import.meta.url));

/** Any other interval behaves as a day, so that each is a request of its own with a result of 24 rows. */
export const HIT_TARGET = '/api/endpoints/query/functions.invocation-stats?project=aurora&interval=day';
const TARGETS = Array.from({ length: REQUESTS }, (_, index) => HIT_TARGET + String(index));

/** Node's server writes these itself. */
const OF_NODE = new Set(['date', 'connection', 'keep-alive']);

/** Starts everything that serves hits. */
export async function startHitSubjects(options: HitOptions): Promise<HitSubjects> {
  const [build, ...others] = options.builds;
  const own = await startGateways(options, build);
  const all = [own];
  for (const other of others) all.push(await startGateways(options, other));
  const bare = await startBare(options.stage, own.asStarted);
  return {
    bare,
    others: [...all.flatMap(({ subjects }) => subjects), ...(await startPeerSubjects(options))],
    pairs: all.flatMap(({ pairs }) => pairs),
    paced: all.flatMap(({ paced }) => paced),
  };
}

/** The gateways of one build, one for each configuration, and what to compare. */
interface Gateways extends Pick<HitSubjects, 'pairs' | 'paced'> {
  readonly asStarted: Subject;
  readonly subjects: readonly Subject[];
}

const headersWith =
  (keys: readonly string[], headers = {}): Subject['headersOf'] =>
  (index) => ({ 'X-API-KEY': keys[index % keys.length] ?? '', ...headers });

async function startGateways(options: HitOptions, build: Build): Promise<Gateways> {
  const { freeKeys, limitedKeys, redisUrl, collectorUrl } = options;
  const start = async (name: string, own: Environment, headers = {}): Promise<Subject> => {
    const measured = withLoopDelay(options.stage);
    const server = await startDeployed(options, build, { ...measured, ...own });
    return {
      ...{ name: build.label + name, server, loopDelayFile: measured.LOOP_DELAY_FILE },
      ...{ targets: TARGETS, headersOf: headersWith(freeKeys, headers) },
    };
  };
  const unlogged = await start('Querygate without the request log', { REQUEST_LOG: 'off' });
  const asStarted = await start('Querygate as `npm start`', {});
  const crossOrigin = await start(
    'Querygate, `Origin` and CORS',
    { CORS_ORIGINS: ORIGIN },
    { Origin: ORIGIN },
  );
  const traced = await start('Querygate, tracing of 1 %', {
    OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.01',
  });
  const identified = withHeaders(asStarted, 'own `X-Request-Id`', (index) => ({
    'X-Request-Id': `request-${index}`,
  }));
  const unchanged = withHeaders(asStarted, '304', () => ({ 'If-None-Match': '*' }));
  const byNode = await start('Querygate, RAW_HITS=off', { RAW_HITS: 'off' });
  const gateways: Gateways = {
    asStarted,
    subjects: [asStarted, byNode, unlogged, crossOrigin, traced, identified, unchanged],
    pairs: [
      [asStarted, byNode],
      [identified, asStarted],
      [unchanged, asStarted],
      [unlogged, asStarted],
      [crossOrigin, asStarted],
      [traced, asStarted],
    ],
    paced: [asStarted, byNode],
  };
  if (redisUrl === undefined) return gateways;
  // Results of one build may be of another form than those of the other.
  const environment = { REDIS_URL: redisUrl, CACHE_KEY_PREFIX: `${build.label}hits:` };
  const withoutQuota = await start('Querygate with Redis, no quota', environment);
  const withQuota = {
    ...withoutQuota,
    name: `${build.label}Querygate with Redis, request quota`,
    headersOf: headersWith(limitedKeys),
  };
  return {
    asStarted,
    subjects: [...gateways.subjects, withoutQuota, withQuota],
    pairs: [...gateways.pairs, [withQuota, withoutQuota]],
    paced: [...gateways.paced, withQuota],
  };
}

/** The same server, whose requests have headers more. */
function withHeaders(subject: Subject, what: string, more: Subject['headersOf']): Subject {
  const { name, headersOf } = subject;
  return {
    ...subject,
    name: `${name}, ${what}`,
    headersOf: (index) => ({ ...more(index), ...headersOf(index) }),
  };
}

/** Starts a bare Node server that sends the bytes and the headers of a gateway's hit. */
async function startBare(stage: Stage, { server, headersOf }: Subject): Promise<Subject> {
  const url = server.url + HIT_TARGET;
  const request = async (): Promise<{ readonly headers: readonly string[]; readonly body: Buffer }> => {
    const [response] = (await once(get(url, { headers: headersOf(0) }), 'response')) as [IncomingMessage];
    return { headers: response.rawHeaders, body: await buffer(response) };
  };
  await request();
  const { headers, body } = await request();
  const own = headers.filter((_, index) => !OF_NODE.has(headers[index - (index % 2)]?.toLowerCase() ?? ''));
  const measured = withLoopDelay(stage);
  const bare = await stage.startModule(BARE_SERVER, [JSON.stringify(own), body.toString('base64')], measured);
  print(`body of ${body.length} bytes with ${headers.length / 2} header lines`);
  const loopDelayFile = measured.LOOP_DELAY_FILE;
  return { name: 'bare Node http', server: bare, loopDelayFile, targets: TARGETS, headersOf };
}

/** Starts a few lines of Fastify that keep the responses of ClickHouse in memory. */
async function startOwn({ stage, freeKeys, builds }: HitOptions, query: RecordedQuery): Promise<Subject> {
  const measured = withLoopDelay(stage);
  const server = await startOwnCode(stage, 'hits.txt', builds[0].clickhouse.readerConnection, {
    ...measured,
    ...{ API_KEYS: freeKeys.join(' '), QUERY: JSON.stringify(query) },
  });
  return {
    ...{ name: 'own code: Fastify and lru-cache, no log', server, loopDelayFile: measured.LOOP_DELAY_FILE },
    ...{ targets: TARGETS, headersOf: headersWith(freeKeys) },
  };
}

async function startPeerSubjects(options: HitOptions): Promise<readonly Subject[]> {
  const { stage, builds, freeKeys, programs } = options;
  const [build] = builds;
  const { readerConnection: clickhouse } = build.clickhouse;
  const queries = await recordQueries(options, build, [callOf(HIT_TARGET, freeKeys[0] ?? '')]);
  const peers = await startPeers({ stage, clickhouse, queries }, programs);
  const distinct = TARGETS.flatMap((_, index) =>
    queries.map((query) => ({ ...query, body: `${query.body} -- ${index}` })),
  );
  const subjects: Subject[] = peers.map(({ name, server, targetOf }) => ({
    ...{ name, server, targets: distinct.map(targetOf), headersOf: () => ({}) },
  }));
  const [query] = queries;
  if (query) subjects.push(await startOwn(options, query));
  if (programs.trickster === undefined) return subjects;
  const server = await startTrickster({ stage, clickhouse }, programs.trickster);
  const targets = TARGETS.map((_, index) => trendTarget('aurora', `status_code != ${1000 + index}`));
  return [...subjects, { name: 'Trickster (delta cache in memory)', server, targets, headersOf: () => ({}) }];
}

const HOUR = 3600;
/** Hours whose buckets have between 5 and 7 kB of JSON. */
const HOURS = 84;

/** Target of the only form of query that Trickster's delta cache takes. */
export function trendTarget(project: string, condition = 'true', hours = HOURS): string {
  const end = Math.floor(Date.now() / 1000 / HOUR) * HOUR;
  const query = `SELECT toStartOfHour(timestamp) AS t, count() AS c FROM function_relay_logs WHERE project = '${project}' AND ${condition} AND t >= ${end - hours * HOUR} AND t < ${end} GROUP BY t ORDER BY t FORMAT JSON`;
  return `/?database=logs&query=${encodeURIComponent(query)}`;
}
