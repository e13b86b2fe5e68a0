import { connectClickHouse } from '../../src/gateway/clickhouse/connect-clickhouse.js';
import type { ClickHouseConnection } from '../../src/gateway/clickhouse/connection.js';
import { createQueryRunner } from '../../src/gateway/clickhouse/query-runner.js';
import type { QueryResult } from '../../src/gateway/query/ports.js';
import { openClusterGateway, type ClusterGateway } from '../support/cluster-gateway.js';
import { FILL_SETTINGS, FILL_STATEMENTS } from '../support/cluster-rows.js';
import { pollUntil } from '../support/poll-until.js';
import { queryRequest } from '../support/query-requests.js';
import { SettableClock } from '../support/settable-clock.js';
import {
  applySchema,
  startOwnCluster,
  type OwnShard,
  type ShardedServers,
} from '../support/sharded-servers.js';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const NOW = new Date();
const time = new SettableClock();
const EVERYTHING = { project: '.', interval: 'daily' };

let folder: TemporaryFolder;
let cluster: ShardedServers<OwnShard>;
let strict: ClusterGateway;
let lenient: ClusterGateway;
/** A project of each shard. */
let local: string;
let remote: string;
/** A project of the second shard that has functions. */
let farWithFunctions: string;

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  cluster = await startOwnCluster(folder.path);
  await applySchema(cluster);
  const [first, second] = cluster.shards;
  await withClient(first.admin, async (client) => {
    for (const query of FILL_STATEMENTS) {
      await client.command({ query, query_params: { now: NOW }, clickhouse_settings: FILL_SETTINGS });
    }
  });
  [local = ''] = await first.select('SELECT min(project) FROM edge_logs_local');
  [remote = ''] = await second.select('SELECT min(project) FROM edge_logs_local');
  [farWithFunctions = ''] = await second.select('SELECT min(project) FROM function_relay_logs_local');
  strict = await openClusterGateway(first, time.clock, { QUERY_TIMEOUT_SECONDS: '20' });
  lenient = await openClusterGateway(first, time.clock, { QUERY_TIMEOUT_SECONDS: '20', ALLOW_PARTIAL: 'on' });
}, 120_000);

afterEach(async () => {
  await cluster.shards[1].recovered();
}, 120_000);

afterAll(async () => {
  await strict.close();
  await lenient.close();
  await cluster.close();
  await folder.remove();
}, 120_000);

async function withClient<T>(
  connection: ClickHouseConnection,
  use: (client: ReturnType<typeof connectClickHouse>) => Promise<T>,
): Promise<T> {
  const client = connectClickHouse(connection, { maxOpenConnections: 2, requestTimeoutMs: 60_000 });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

const codeOf = ({ text }: { readonly text: string }): unknown =>
  (JSON.parse(text) as { code?: unknown }).code;
const logsOf = (gateway: ClusterGateway, project: string): ReturnType<ClusterGateway['send']> =>
  gateway.send('logs.all', { project, project_tier: 'PRO' });

const statsOf = (
  gateway: ClusterGateway,
  project: string,
  interval: string,
): ReturnType<ClusterGateway['send']> => gateway.send('functions.invocation-stats', { project, interval });

const SINCE = new Date(NOW.getTime() - 300_000_000).toISOString();
/** Reads only a projection, and a projection plus the records of an incomplete day. */
const GROUPED = [
  ['get-grouped-stats-events-logs', { event_type: 'view', city: 'Rome' }],
  ['get-grouped-stats-redirects', { start_time: SINCE }],
] as const;
const sumOfHits = (text: string): number =>
  (JSON.parse(text) as { readonly result: readonly { readonly total_hits: number }[] }).result.reduce(
    (sum, { total_hits }) => sum + total_hits,
    0,
  );

/** Kills the second shard, and waits until it is unreachable. */
async function loseShard(): Promise<void> {
  const [, shard] = cluster.shards;
  shard.kill();
  await pollUntil('the shard is unreachable', async () => {
    const failing = await strict.send('usage.api-counts', EVERYTHING);
    return failing.status === 503 ? true : undefined;
  });
}

describe('a stopped shard', () => {
  it('returns 503 with Retry-After for queries that need its rows, and does not affect other queries', async () => {
    await loseShard();
    for (let n = 0; n < 6; n += 1) {
      const missing = await logsOf(strict, remote);
      expect([missing.status, codeOf(missing)]).toEqual([503, 'SHARD_UNREACHABLE']);
      expect(missing.headers.get('retry-after')).toBe('1');
      expect(missing.text).not.toMatch(/127\.0\.0\.1|DB::/);
    }
    expect((await logsOf(strict, local)).status).toBe(200);
  });

  it('returns the same for queries of projections', async () => {
    await loseShard();
    for (const interval of ['1hr', '1day', '7day']) {
      const missing = await statsOf(strict, farWithFunctions, interval);
      expect([missing.status, codeOf(missing)]).toEqual([503, 'SHARD_UNREACHABLE']);
      const other = await statsOf(strict, local, interval);
      expect([other.status, Number(other.headers.get('x-row-count')) > 0]).toEqual([200, true]);
    }
    for (const [endpoint, parameters] of GROUPED) {
      const missing = await strict.send(endpoint, { ...parameters });
      expect([missing.status, codeOf(missing)]).toEqual([503, 'SHARD_UNREACHABLE']);
    }
  });

  it('yields from projections and records exactly the other shard’s rows if that is allowed', async () => {
    await loseShard();
    const hits = async (condition: string): Promise<number> => {
      const [n] = await cluster.shards[0].select(
        `SELECT count() FROM custom_events_local WHERE ${condition}`,
      );
      return Number(n);
    };
    const since = `timestamp >= parseDateTime64BestEffort('${SINCE}', 6, 'UTC')`;
    const conditions = ["event_type = 'view' AND city = 'Rome'", `event_type = 'url_redirect' AND ${since}`];
    for (const [n, [endpoint, parameters]] of GROUPED.entries()) {
      const part = await lenient.send(endpoint, { ...parameters });
      expect([part.status, part.headers.get('x-partial')]).toEqual([200, 'true']);
      expect(sumOfHits(part.text)).toBe(await hits(conditions[n] ?? ''));
    }
    const none = await statsOf(lenient, farWithFunctions, '1day');
    expect([none.status, codeOf(none)]).toEqual([503, 'SHARD_UNREACHABLE']);
  });

  it('yields a partial result, marked and not cached, if that is allowed', async () => {
    const complete = await lenient.send('get-grouped-stats-redirects');
    expect([complete.status, complete.headers.get('x-partial')]).toEqual([200, null]);
    await loseShard();
    time.advance(86_400_000);
    const part = await lenient.send('get-grouped-stats-redirects');
    expect([part.status, part.headers.get('x-partial')]).toEqual([200, 'true']);
    expect(part.headers.get('cache-control')).toBe('no-store');
    expect(Number(part.headers.get('x-row-count'))).toBeGreaterThan(0);
    expect(part.text).not.toBe(complete.text);
    await cluster.shards[1].recovered();
    const again = await pollUntil('the shard is queried again', async () => {
      const response = await lenient.send('get-grouped-stats-redirects', {}, {});
      return response.headers.get('x-partial') === null ? response : undefined;
    });
    expect([again.headers.get('x-cache'), again.text]).toEqual(['MISS', complete.text]);
  }, 120_000);

  it('returns 503 for rows that only this shard has, even if partial results are allowed', async () => {
    await loseShard();
    const none = await logsOf(lenient, remote);
    expect([none.status, codeOf(none)]).toEqual([503, 'SHARD_UNREACHABLE']);
    const other = await logsOf(lenient, local);
    expect([other.status, other.headers.get('x-partial')]).toEqual([200, null]);
  });

  it('is hidden by a complete stale result', async () => {
    const parameters = { project: '/rest', interval: 'daily' };
    const complete = await lenient.send('usage.api-counts', parameters, {});
    await loseShard();
    time.advance(901_000);
    const stale = await lenient.send('usage.api-counts', parameters, {});
    expect([stale.status, stale.headers.get('x-cache'), stale.headers.get('x-partial')]).toEqual([
      200,
      'STALE',
      null,
    ]);
    expect(stale.text).toBe(complete.text);
  });
});

describe('a frozen shard', () => {
  it('returns 503 within the time limit of a query', async () => {
    // Also over an open connection, and without a stale result.
    expect((await logsOf(strict, remote)).status).toBe(200);
    await cluster.shards[1].freeze();
    const [missing, part] = await Promise.all([
      logsOf(strict, remote),
      lenient.send('usage.api-counts', { ...EVERYTHING, project: 'example' }),
    ]);
    expect([missing.status, codeOf(missing)]).toEqual([503, 'SHARD_UNREACHABLE']);
    expect([part.status, part.headers.get('x-partial')]).toEqual([200, 'true']);
  }, 120_000);
});

describe('a shard that stops during a query', () => {
  /** On the second shard alone it takes far longer than the test takes to stop that. */
  const SLOW =
    'SELECT count() AS n FROM edge_logs WHERE NOT arrayExists(i -> cityHash64(event_message, i) = 1, range(if(shardNum() = 2, 300000, 1)))';

  /** Returns the outcome of a slow query whose second shard is killed while it works on the query. */
  async function killedMeanwhile(allowsPartial: boolean): Promise<unknown> {
    const [first, second] = cluster.shards;
    return withClient(first.reader, async (client) => {
      const run = createQueryRunner(client, { timeoutMs: 100_000 }, { allowsPartial });
      const request = queryRequest(`${SLOW} SETTINGS max_threads = 1, max_block_size = 20`);
      const running = run(request).catch((error: unknown) => error);
      await pollUntil('the shard runs the query', async () => {
        const [rows] = await second.select(
          "SELECT sum(read_rows) FROM system.processes WHERE query LIKE '%arrayExists%' AND query NOT LIKE '%system.processes%' AND NOT is_initial_query",
        );
        return Number(rows) > 0 ? true : undefined;
      });
      second.kill();
      return running;
    });
  }

  it('never yields half of the rows as a complete result', async () => {
    expect(await killedMeanwhile(false)).toMatchObject({ code: 'SHARD_UNREACHABLE', status: 503 });
  }, 120_000);

  it('yields exactly the other shard’s rows, marked, if that is allowed', async () => {
    const [rows = ''] = await cluster.shards[0].select('SELECT count() FROM edge_logs_local');
    const { body, partial } = (await killedMeanwhile(true)) as QueryResult;
    expect([partial, body.toString()]).toEqual([true, `{"result":[{"n":${rows}}]}`]);
  }, 120_000);
});
