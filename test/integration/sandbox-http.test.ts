import { openAccessOnClickHouse } from '../support/access-on-clickhouse.js';
import { outcomeOf, rowsIn, type NetworkResponse } from '../support/network-request.js';
import { openForAll } from '../support/opened.js';

const SECRET = 'SECRET-of-boreal';
const LOGS = '/api/endpoints/query/logs.all?project_tier=PRO';
const COUNTS = '/api/endpoints/query/usage.api-counts?interval=daily';

const opened = openForAll(() =>
  openAccessOnClickHouse({
    keys: {
      operator: {},
      aurora: { fixed: { project: 'aurora' } },
      boreal: { fixed: { project: 'boreal' } },
      metered: { fixed: { project: 'aurora' }, limits: { rowsRead: { quota: 1, window: 60 } } },
    },
    settings: {
      'logs.all': { sandboxing: 'enabled', maxRows: 20 },
      'usage.api-counts': { sandboxing: 'enabled' },
      'get-grouped-stats-redirects': { sandboxing: 'enabled', maxRows: 20 },
    },
  }),
);
beforeAll(async () => {
  const timestamp = new Date(Date.now() - 60_000).toISOString().replace('Z', '');
  const record = (project: string, text: string) => (_: unknown, n: number) => ({
    project,
    timestamp,
    event_message: `${text} ${n}`,
    metadata: { secret: text },
  });
  const rows = [
    ...Array.from({ length: 30 }, record('aurora', 'mine')),
    ...Array.from({ length: 40 }, record('boreal', SECRET)),
  ];
  const requests = rows.map((row) => ({
    ...row,
    url: `https://${row.project}.example/rest/v1?aurora,boreal`,
    path: '/rest/v1',
  }));
  await opened.database.insert('edge_logs', requests);
  for (const table of ['database_logs', 'auth_logs']) await opened.database.insert(table, rows);
  const redirects = Array.from({ length: 70 }, (_, n) => ({
    timestamp,
    event_type: 'url_redirect',
    event_name: `${n}`,
  }));
  await opened.database.insert('custom_events', redirects);
});

const request = (name: string, sql: string, target = LOGS): Promise<NetworkResponse> =>
  opened.gateway.send(name, `${target}&sql=${encodeURIComponent(sql)}`);

describe('a caller’s own SQL over HTTP', () => {
  it.each([
    ['SELECT count() AS n FROM result', 30],
    ['SELECT count() AS n FROM edge_source', 30],
    ['SELECT count() AS n FROM database_source', 30],
    ["SELECT count() AS n FROM auth_source WHERE event_message LIKE '%SECRET%'", 0],
    [
      'SELECT sum(n) AS n FROM (SELECT count() AS n FROM edge_source UNION ALL SELECT count() FROM auth_source)',
      60,
    ],
    [
      'SELECT count() AS n FROM edge_source AS a INNER JOIN auth_source AS b ON a.event_message = b.event_message',
      30,
    ],
  ])('reads the rows of the key’s project: %s', async (sql, expected) => {
    expect(Number(rowsIn(await request('aurora', sql))[0]?.['n'])).toBe(expected);
  });

  it('is limited to the row cap, and reports truncation', async () => {
    const response = await request('aurora', 'SELECT event_message FROM edge_source');
    expect(rowsIn(response)).toHaveLength(20);
    expect(response.headers).toMatchObject({ 'x-row-count': '20', 'x-truncated': 'true' });
    expect(response.text).not.toContain(SECRET);
  });

  it('is incomplete with complete=1 only where its own rows exceed the row cap, not those that it reads', async () => {
    const complete = async (sql: string): Promise<NetworkResponse> =>
      request('aurora', sql, `${LOGS}&complete=1`);
    const cut = await complete('SELECT event_message FROM edge_source');
    expect(outcomeOf(cut)).toBe('422 RESULT_TRUNCATED');
    expect(cut.text).toContain('Select fewer rows in sql');
    expect(rowsIn(await complete('SELECT event_message FROM edge_source LIMIT 20'))).toHaveLength(20);
    expect(rowsIn(await complete('SELECT count() AS n FROM edge_source'))).toEqual([{ n: 30 }]);
  });

  it('reads all rows of a result that stops at the row cap by itself, not only those of the row cap', async () => {
    const redirects = '/api/endpoints/query/get-grouped-stats-redirects?start_time=2001-01-01T12:00:00Z';
    const response = await request(
      'operator',
      'SELECT count() AS n, sum(total_hits) AS hits FROM result',
      redirects,
    );
    expect(rowsIn(response)).toEqual([{ n: 70, hits: 70 }]);
  });

  it.each([
    "SELECT * FROM edge_logs WHERE project = 'boreal'",
    'SELECT 1) UNION ALL (SELECT event_message FROM edge_logs',
    'SELECT edge_source.target FROM edge_source',
  ])('is rejected without ClickHouse’s text: %s', async (escape) => {
    const response = await request('aurora', escape);
    expect(outcomeOf(response)).toBe('400 INVALID_PARAMETERS');
    expect(response.text).toContain('"param":"sql"');
    expect(response.text).not.toMatch(/SECRET-of|DB::|Exception/);
  });

  it('cannot circumvent a pinned parameter', async () => {
    const sql = 'SELECT count() AS n FROM edge_source';
    const target = `${LOGS}&project=boreal`;
    expect(outcomeOf(await request('aurora', sql, target))).toBe('403 FORBIDDEN');
    const counted = async (name: string) =>
      Number(
        rowsIn(await request(name, 'SELECT sum(total_rest_requests) AS n FROM result', COUNTS))[0]?.['n'],
      );
    expect([await counted('aurora'), await counted('boreal'), await counted('aurora')]).toEqual([30, 40, 30]);
    expect(outcomeOf(await request('aurora', 'SELECT 1', `${COUNTS}&project=.`))).toBe('403 FORBIDDEN');
  });

  it('counts towards the key’s limits', async () => {
    expect(outcomeOf(await request('metered', 'SELECT count() AS n FROM edge_source'))).toBe('200');
    const rejected = await request('metered', 'SELECT count() + 1 AS n FROM edge_source');
    expect(outcomeOf(rejected)).toBe('429 LIMIT_EXCEEDED');
  });
});
