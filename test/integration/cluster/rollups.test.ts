import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { Environment } from '../../../src/config/config.js';
import { openClusterGateway } from '../../support/cluster-gateway.js';
import { ROLLUPS, timesCountedQuery, type RollupOfRecords } from '../../support/cluster-rollups.js';
import { pollUntil } from '../../support/poll-until.js';
import { openSameRows, type SameRows } from '../../support/same-rows.js';

const NOW = new Date();
const ago = (seconds: number): string => new Date(NOW.getTime() - seconds * 1000).toISOString();
const HELD_KEY = 'qg_of-one-project';
/** A project of the second shard, and the one that the key is held to. */
const FAR = 'borealis';

let rows: SameRows;

beforeAll(async () => {
  rows = await openSameRows(NOW, keyHeldToOneProject);
}, 120_000);

afterAll(async () => {
  await rows.close();
}, 60_000);

async function keyHeldToOneProject(folder: string): Promise<Environment> {
  const file = path.join(folder, 'keys.json');
  const sha256 = [createHash('sha256').update(HELD_KEY).digest('hex')];
  const key = { name: 'held', sha256, fixed: { project: FAR }, mayBypassCache: true };
  await writeFile(file, JSON.stringify({ keys: [key] }));
  return { API_KEYS_FILE: file };
}

const SHARDS = [0, 1] as const;
const askShard = async (shard: 0 | 1, query: string): Promise<string> =>
  (await rows.cluster.shards[shard].ask(query)).join('\n');

const timesCounted = (rollup: RollupOfRecords): Promise<readonly string[]> =>
  Promise.all(SHARDS.map((shard) => askShard(shard, timesCountedQuery(rollup))));

describe('a rollup', () => {
  it.each(ROLLUPS)(
    '$rollup counts each record that came through the Distributed table once',
    async (rollup) => {
      expect(await timesCounted(rollup)).toEqual(['1', '1']);
    },
  );

  it.each(ROLLUPS.filter(({ hasProject }) => hasProject))(
    '$rollup has the rows of a project where its key sends the question',
    async ({ rollup }) => {
      for (const shard of SHARDS) {
        const query = `SELECT count() > 0, countIf(cityHash64(project) % 2 != ${shard}) FROM ${rollup}_local`;
        expect(await askShard(shard, query)).toBe('1\t0');
      }
    },
  );

  it('counts each record once of an INSERT that is passed on in the background', async () => {
    const [first] = rows.cluster.shards;
    await first.ask(
      `INSERT INTO function_relay_logs (project, timestamp, function_id)
       SELECT concat('later-', toString(number)), now64(6) - number, 'f' FROM numbers(40)`,
      { distributed_foreground_insert: '0' },
    );
    await first.ask('SYSTEM FLUSH DISTRIBUTED function_relay_logs');
    expect(
      await first.ask("SELECT count() FROM function_relay_logs WHERE startsWith(project, 'later-')"),
    ).toEqual(['40']);
    for (const rollup of ROLLUPS) expect(await timesCounted(rollup)).toEqual(['1', '1']);
  });
});

/** What the shards read for a request: the local tables by their names, of the first shard and of the second. */
async function tablesReadFor(requestId: string): Promise<readonly (readonly string[])[]> {
  // What a shard has done for the first request is logged before what it does for this one.
  const after = `after-${requestId}`;
  const headers = { 'X-Request-Id': after, 'Cache-Control': 'no-cache' };
  await rows.onCluster.ask('get-grouped-stats-redirects', {}, headers);
  const tablesOf = async (shard: 0 | 1, id: string): Promise<readonly string[]> => {
    await askShard(shard, 'SYSTEM FLUSH LOGS');
    return rows.cluster.shards[shard].ask(
      `SELECT DISTINCT replaceOne(arrayJoin(tables), 'logs.', '') AS name FROM system.query_log
       WHERE log_comment = '${id}' AND type = 'QueryFinish' AND endsWith(name, '_local') ORDER BY name`,
    );
  };
  return Promise.all(
    SHARDS.map(async (shard) => {
      await pollUntil(`shard ${shard + 1} has logged ${after}`, async () =>
        (await tablesOf(shard, after)).length > 0 ? true : undefined,
      );
      return tablesOf(shard, requestId);
    }),
  );
}

describe('a question about one project', () => {
  const near = 'aurora';

  it.each([
    ['logs.all', {}, 'edge_logs_local'],
    ['functions.invocation-stats', { interval: '1hr' }, 'function_relay_minutes_local'],
    ['functions.invocation-stats', { interval: '1day' }, 'function_relay_hours_local'],
    ['functions.invocation-stats', { interval: '7day' }, 'function_relay_days_local'],
    ['functions.invocation-stats', { interval: '5min' }, 'function_relay_logs_local'],
  ])('to %s %j is asked of its shard alone', async (endpoint, parameters, table) => {
    for (const [shard, project] of [near, FAR].entries()) {
      const requestId = `${endpoint}-${Object.values(parameters).join('')}-${project}`;
      const headers = { 'X-Request-Id': requestId, 'Cache-Control': 'no-cache' };
      const answer = await rows.onCluster.ask(endpoint, { project, ...parameters }, headers);
      expect(Number(answer.headers.get('x-row-count'))).toBeGreaterThan(0);
      const tables = await tablesReadFor(requestId);
      expect(tables[shard]).toContain(table);
      expect(tables[1 - shard]).toEqual([]);
    }
  });

  it('to usage.api-counts is asked of its shard alone where a key is held to the project', async () => {
    const headers = { 'X-Request-Id': 'held', 'Cache-Control': 'no-cache', 'X-API-KEY': HELD_KEY };
    const answer = await rows.onCluster.ask('usage.api-counts', { interval: 'daily' }, headers);
    expect([answer.status, await tablesReadFor('held')]).toEqual([
      200,
      [[], ['edge_logs_local', 'edge_request_hours_local', 'edge_request_minutes_local']],
    ]);
  });
});

describe('a question about all projects', () => {
  it.each([
    [
      'usage.api-counts',
      { project: '.', interval: 'daily' },
      ['edge_logs_local', 'edge_request_hours_local', 'edge_request_minutes_local'],
    ],
    ['get-grouped-stats-events-logs', {}, ['custom_event_days_local']],
    [
      'get-grouped-stats-events-logs',
      { start_time: ago(300_000) },
      ['custom_event_days_local', 'custom_events_local'],
    ],
    [
      'get-grouped-stats-redirects',
      { end_time: ago(100_000) },
      ['custom_events_local', 'redirect_days_local'],
    ],
  ])('to %s %j reads the rollups of both shards', async (endpoint, parameters, tables) => {
    const requestId = `${endpoint}-${Object.keys(parameters).join('-')}`;
    const headers = { 'X-Request-Id': requestId, 'Cache-Control': 'no-cache' };
    expect((await rows.onCluster.ask(endpoint, { ...parameters }, headers)).status).toBe(200);
    expect(await tablesReadFor(requestId)).toEqual([tables, tables]);
  });
});

describe('a project whose rows are on both shards, as they are after one was added,', () => {
  // The origin is that of the project on the first shard alone: of no project on the whole may the rest be left out.
  const inserts = [0, 1].flatMap((shard) => [
    [
      shard,
      'edge_logs',
      `(id, project, timestamp, url, path) SELECT reinterpretAsUUID(sipHash128(number, ${shard})), 'nomad', {now:DateTime64(6, 'UTC')} - toIntervalMinute(number * 7),
         concat(['https://nomad.example.co', 'https://cdn.example.net/nomad'][1 + ${shard}], '/rest/', toString(number)), '/rest'
       FROM numbers(${300 + shard})`,
    ],
    [
      shard,
      'function_relay_logs',
      `(project, timestamp, function_id, status_code, execution_time_ms)
       SELECT 'nomad', {now:DateTime64(6, 'UTC')} - toIntervalSecond(number * 60), 'f', 200 + number % 300,
         (sipHash64(number, ${shard}) % 4000) / 4
       FROM numbers(${200 + shard})`,
    ],
  ]) as readonly (readonly [0 | 1, string, string])[];

  it('is answered as on one server by a gateway that asks all shards', async () => {
    const everywhere = await openClusterGateway(rows.cluster.shards[0], () => NOW, {
      CLICKHOUSE_CLUSTER: '',
    });
    const now = { param_now: String(NOW.getTime() / 1000) };
    try {
      for (const [shard, table, values] of inserts) {
        await rows.cluster.shards[shard].ask(`INSERT INTO ${table}_local ${values}`, now);
        await rows.alone.client.command({
          query: `INSERT INTO ${table} ${values}`,
          query_params: { now: NOW },
        });
      }
      const questions = [
        ...['15min', '1hr', '1day', '7day'].map(
          (interval) => ['functions.invocation-stats', { project: 'nomad', interval }] as const,
        ),
        ...['nomad', '//nomad', 'https', '//nomad.*/rest/1'].map(
          (project) => ['usage.api-counts', { project, interval: 'daily' }] as const,
        ),
        ['logs.all', { project: 'nomad', project_tier: 'PRO' }] as const,
      ];
      for (const [endpoint, parameters] of questions) {
        const there = await everywhere.ask(endpoint, parameters);
        const here = await rows.onServer.ask(endpoint, parameters);
        expect([there.status, there.text]).toEqual([200, here.text]);
        expect(Number(there.headers.get('x-row-count'))).toBeGreaterThan(0);
      }
    } finally {
      await everywhere.close();
    }
  }, 30_000);
});
