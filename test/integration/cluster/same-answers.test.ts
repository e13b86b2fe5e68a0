import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';

import { connectClickHouse, type ClickHouseConnection } from '../../../src/clickhouse/connection.js';
import { loadFile } from '../../../src/loading/load-file.js';
import { createTestDatabase, type TestDatabase } from '../../support/clickhouse.js';
import { openClusterGateway, type ClusterGateway } from '../../support/cluster-gateway.js';
import { FILL_SETTINGS, FILL_STATEMENTS } from '../../support/cluster-rows.js';
import { makeTemporaryFolder, type TemporaryFolder } from '../../support/made-folder.js';
import { pollUntil } from '../../support/poll-until.js';
import { startShardedServers, type ShardedServers } from '../../support/sharded-servers.js';

const NOW = new Date();
const clock = (): Date => NOW;

let folder: TemporaryFolder;
let cluster: ShardedServers;
let alone: TestDatabase;
/** A gateway before a cluster of two shards, and one before a server that has the same rows. */
let onCluster: ClusterGateway;
let onServer: ClusterGateway;

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  cluster = await startShardedServers(folder.path);
  alone = await createTestDatabase();
  const [first] = cluster.shards;
  for (const connection of [first.admin, alone.connection]) await fill(connection);
  onCluster = await openClusterGateway(first, clock);
  const { connection } = alone;
  onServer = await openClusterGateway({ ...first, admin: connection, reader: connection }, clock, {
    CLICKHOUSE_CLUSTER: '',
    CLICKHOUSE_DATABASE: alone.name,
  });
}, 120_000);

afterAll(async () => {
  await onCluster.close();
  await onServer.close();
  await alone.close();
  await cluster.close();
  await folder.remove();
}, 60_000);

async function fill(connection: ClickHouseConnection): Promise<void> {
  const client = connectClickHouse(connection, { maxOpenConnections: 1, requestTimeoutMs: 60_000 });
  try {
    for (const query of FILL_STATEMENTS) {
      await client.command({ query, query_params: { now: NOW }, clickhouse_settings: FILL_SETTINGS });
    }
  } finally {
    await client.close();
  }
}

const bothShards = (query: string): Promise<readonly (readonly string[])[]> =>
  Promise.all(cluster.shards.map(({ ask }) => ask(query)));
const ago = (seconds: number): string => new Date(NOW.getTime() - seconds * 1000).toISOString();

describe('rows that are inserted', () => {
  it.each(['edge_logs', 'function_relay_logs', 'custom_events'])(
    'into %s are on both shards, each once',
    async (table) => {
      const [[first = '0'] = [], [second = '0'] = []] = await bothShards(
        `SELECT count() FROM ${table}_local`,
      );
      const { data } = await (
        await alone.client.query({ query: `SELECT toUInt32(count()) AS n FROM ${table}`, format: 'JSON' })
      ).json<{ n: number }>();
      expect(Math.min(Number(first), Number(second))).toBeGreaterThan(0);
      expect(Number(first) + Number(second)).toBe(data[0]?.n);
    },
  );

  it('are with the others of their project', async () => {
    const [first = [], second = []] = await bothShards('SELECT DISTINCT project FROM edge_logs_local');
    expect(first.filter((project) => second.includes(project))).toEqual([]);
    expect(first.length + second.length).toBe(8);
  });

  it('by a file that is loaded are on their shards when it is', async () => {
    const file = path.join(folder.path, 'lines.ndjson');
    const lines = Array.from({ length: 500 }, (_, n) =>
      JSON.stringify({ timestamp: NOW.toISOString(), project: `loaded-${n}`, event_message: `${n}` }),
    );
    await writeFile(file, lines.join('\n'));
    const client = connectClickHouse(cluster.shards[0].admin, {
      maxOpenConnections: 2,
      requestTimeoutMs: 60_000,
    });
    try {
      const source = { source: file, stdin: Readable.from([]), shiftToNow: false, now: NOW };
      expect(await loadFile({ client, table: 'auth_logs', ...source })).toMatchObject({
        loaded: 500,
        refused: 0,
      });
    } finally {
      await client.close();
    }
    const counts = (await bothShards('SELECT count() FROM auth_logs_local')).map(([count]) => Number(count));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(500);
    expect(Math.min(...counts)).toBeGreaterThan(0);
  });
});

const INTERVALS = ['5min', '15min', '1hr', '1day', '7day'];

/** Endpoint and parameters; of the answer whether it is cut, so that both kinds are there. */
const QUESTIONS: readonly (readonly [string, Readonly<Record<string, string>>, string?])[] = [
  ...INTERVALS.flatMap((interval) =>
    ['aurora', 'borealis', 'cirrus', 'delta'].map(
      (project) => ['functions.invocation-stats', { project, interval }] as const,
    ),
  ),
  ['functions.invocation-stats', { project: 'cirrus', function_id: 'f1', interval: '1day' }],
  ['functions.invocation-stats', { project: 'nobody' }],
  ...['aurora', 'borealis', 'cirrus', 'delta', 'echo'].map(
    (project) => ['logs.all', { project, project_tier: 'PRO' }, 'cut'] as const,
  ),
  ['logs.all', { project: 'golf', project_tier: 'PAYG', iso_timestamp_start: ago(900) }],
  ['logs.all', { project: 'golf', iso_timestamp_end: ago(2000) }, 'cut'],
  ['logs.all', { project: 'golf', iso_timestamp_start: ago(3000), iso_timestamp_end: ago(1000) }],
  ['logs.all', { project: 'nobody' }],
  ...['minutely', 'hourly', 'daily'].flatMap((interval) =>
    ['.', 'aurora', '^https://(echo|golf)', 'nobody'].map(
      (project) => ['usage.api-counts', { project, interval }] as const,
    ),
  ),
  ['get-grouped-stats-events-logs', {}, 'cut'],
  ['get-grouped-stats-events-logs', { event_type: 'view', include_unique: 'true', country: 'DE' }],
  ['get-grouped-stats-events-logs', { event_type: '', country: '' }],
  ['get-grouped-stats-events-logs', { event_ids: '1,2', search_term: 'EREIG', start_time: ago(86_400) }],
  ['get-grouped-stats-redirects', {}],
  ['get-grouped-stats-redirects', { utm_key: 'utm_source', utm_value: 'newsletter' }],
  ...['csv', 'ndjson', 'tsv'].map(
    (format) => ['get-grouped-stats-events-logs', { format, city: 'Rome' }] as const,
  ),
];

describe('an endpoint on two shards', () => {
  it.each(QUESTIONS.map(([endpoint, parameters, cut]) => ({ endpoint, parameters, cut })))(
    '$endpoint $parameters gives the bytes that it gives on one server',
    async ({ endpoint, parameters, cut }) => {
      const [there, here] = await Promise.all(
        [onCluster, onServer].map((gateway) => gateway.ask(endpoint, parameters)),
      );
      expect([there?.status, there?.text]).toEqual([200, here?.text]);
      expect([there, here].map((answer) => answer?.headers.get('x-truncated'))).toEqual(
        cut ? ['true', 'true'] : [null, null],
      );
      expect(there?.headers.get('x-row-count')).toBe(here?.headers.get('x-row-count'));
      expect(Object.values(parameters).includes('nobody')).toBe(here?.headers.get('x-row-count') === '0');
    },
  );
});

describe('a question', () => {
  /** How many queries of a request a shard has run, once it has run any. */
  const queriesOf = async (shard: 0 | 1, requestId: string): Promise<number> => {
    const { ask } = cluster.shards[shard];
    await ask('SYSTEM FLUSH LOGS');
    const [count] = await ask(
      `SELECT count() FROM system.query_log WHERE log_comment = '${requestId}' AND type = 'QueryFinish'`,
    );
    return Number(count);
  };
  const someQueriesOf = (shard: 0 | 1, requestId: string): Promise<number> =>
    pollUntil(`a query of ${requestId} on shard ${shard + 1}`, async () => {
      const count = await queriesOf(shard, requestId);
      return count === 0 ? undefined : count;
    });
  const projectOf = async (shard: 0 | 1): Promise<string> =>
    (await cluster.shards[shard].ask('SELECT min(project) FROM function_relay_logs_local'))[0] ?? '';

  it.each(['logs.all', 'functions.invocation-stats'])(
    'to %s about one project is asked of its shard alone',
    async (endpoint) => {
      const [near, far] = [`near-${endpoint}`, `far-${endpoint}`] as const;
      await onCluster.ask(endpoint, { project: await projectOf(0) }, { 'X-Request-Id': near });
      await onCluster.ask(endpoint, { project: await projectOf(1) }, { 'X-Request-Id': far });
      // Whatever the second shard has done for the first question is logged before what it did for the second one.
      expect(await someQueriesOf(1, far)).toBeGreaterThan(0);
      expect(await someQueriesOf(0, near)).toBe(1);
      expect(await queriesOf(1, near)).toBe(0);
    },
  );

  it('about no single project is asked of both', async () => {
    const requestId = 'all-projects';
    await onCluster.ask(
      'usage.api-counts',
      { project: '.', interval: 'daily' },
      { 'X-Request-Id': requestId },
    );
    expect(await someQueriesOf(0, requestId)).toBe(1);
    expect(await someQueriesOf(1, requestId)).toBe(1);
  });
});
