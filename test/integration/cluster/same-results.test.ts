import { Readable } from 'node:stream';

import { connectClickHouse } from '../../../src/gateway/clickhouse/connect-clickhouse.js';
import { loadFile } from '../../../src/commands/loading/load-file.js';
import { openSameRows, type SameRows } from '../../support/same-rows.js';

let rows: SameRows;

beforeAll(async () => {
  rows = await openSameRows(NOW);
}, 120_000);

afterAll(async () => {
  await rows.close();
}, 120_000);

const bothShards = (query: string): Promise<readonly (readonly string[])[]> =>
  Promise.all(rows.cluster.shards.map(({ select: runQuery }) => runQuery(query)));
const NOW = new Date();
const ago = (seconds: number): string => new Date(NOW.getTime() - seconds * 1000).toISOString();

describe('inserted rows', () => {
  it.each(['edge_logs', 'function_relay_logs', 'custom_events'])(
    'of %s are on both shards, each once',
    async (table) => {
      const [[first = '0'] = [], [second = '0'] = []] = await bothShards(
        `SELECT count() FROM ${table}_local`,
      );
      const { data } = await (
        await rows.alone.client.query({
          query: `SELECT toUInt32(count()) AS n FROM ${table}`,
          format: 'JSON',
        })
      ).json<{ n: number }>();
      expect(Math.min(Number(first), Number(second))).toBeGreaterThan(0);
      expect(Number(first) + Number(second)).toBe(data[0]?.n);
    },
  );

  it('are on the same shard as the other rows of their project', async () => {
    const [first = [], second = []] = await bothShards('SELECT DISTINCT project FROM edge_logs_local');
    expect(first.filter((project) => second.includes(project))).toEqual([]);
    expect(first.length + second.length).toBe(8);
  });

  it('of a loaded file are on their shards when the load ends', async () => {
    const lines = Array.from({ length: 500 }, (_, n) =>
      JSON.stringify({ timestamp: NOW.toISOString(), project: `loaded-${n}`, event_message: `${n}` }),
    );
    const client = connectClickHouse(rows.cluster.shards[0].admin, {
      maxOpenConnections: 2,
      requestTimeoutMs: 60_000,
    });
    try {
      const source = {
        source: '-',
        stdin: Readable.from([Buffer.from(lines.join('\n'))]),
        shiftToNow: false,
        now: NOW,
      };
      expect(await loadFile({ client, table: 'auth_logs', ...source })).toMatchObject({
        loaded: 500,
        ttl: { description: 'older than 90 days' },
        rejected: 0,
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

/** Endpoint and parameters, and `cut` if the result is truncated; the calls cover both kinds. */
const CALLS: readonly (readonly [string, Readonly<Record<string, string>>, string?])[] = [
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
    ['.', 'aurora', '^https://(echo|golf)', 'cdn|//[bd]', '/rest', 'v1$', 'nobody'].map(
      (project) => ['usage.api-counts', { project, interval }] as const,
    ),
  ),
  ['get-grouped-stats-events-logs', {}, 'cut'],
  ['get-grouped-stats-events-logs', { event_type: 'view', include_unique: 'true', country: 'DE' }],
  ['get-grouped-stats-events-logs', { event_type: '', country: '' }],
  ['get-grouped-stats-events-logs', { event_ids: '1,2', search_term: 'EREIG', start_time: ago(86_400) }],
  ['get-grouped-stats-events-logs', { start_time: ago(500_000) }, 'cut'],
  ['get-grouped-stats-events-logs', { start_time: ago(300_000), end_time: ago(100_000) }],
  ['get-grouped-stats-events-logs', { start_time: ago(250_000), device: 'phone', event_ids: '1,5' }],
  ['get-grouped-stats-events-logs', { search_term: 'EREIG', country: 'DE' }],
  ['get-grouped-stats-redirects', {}],
  ['get-grouped-stats-redirects', { start_time: ago(300_000), end_time: ago(100_000) }],
  ['get-grouped-stats-redirects', { start_time: ago(190), end_time: ago(170) }],
  ['get-grouped-stats-redirects', { utm_key: 'utm_source', utm_value: 'newsletter' }],
  ...['csv', 'ndjson', 'tsv'].map(
    (format) => ['get-grouped-stats-events-logs', { format, city: 'Rome' }] as const,
  ),
];

/** Percentiles of many records depend on the order of merges: within 1 % of rank on either side. */
const withoutPercentiles = (text = ''): string => text.replace(/"(p9[59])_execution_time":[\d.]+/g, '$1');

describe('an endpoint on two shards', () => {
  it.each(CALLS.map(([endpoint, parameters, cut]) => ({ endpoint, parameters, cut })))(
    'returns for $endpoint $parameters the bytes of one server, except for percentiles',
    async ({ endpoint, parameters, cut }) => {
      const [there, here] = await Promise.all(
        [rows.onCluster, rows.onServer].map((gateway) => gateway.send(endpoint, parameters)),
      );
      expect(there?.status).toBe(200);
      expect(withoutPercentiles(there?.text)).toBe(withoutPercentiles(here?.text));
      expect([there, here].map((response) => response?.headers.get('x-truncated'))).toEqual(
        cut ? ['true', 'true'] : [null, null],
      );
      expect(there?.headers.get('x-row-count')).toBe(here?.headers.get('x-row-count'));
      expect(Object.values(parameters).includes('nobody')).toBe(here?.headers.get('x-row-count') === '0');
    },
  );
});
