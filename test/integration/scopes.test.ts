import { openAccessOnClickHouse } from '../support/access-on-clickhouse.js';
import { outcomeOf, rowsIn } from '../support/network-request.js';
import { openForAll } from '../support/opened.js';

const QUERY = '/api/endpoints/query';
const COUNTS = `${QUERY}/usage.api-counts?interval=daily`;
const SECRET = 'SECRET-of-boreal';
const FORBIDDEN = '403 FORBIDDEN';

const opened = openForAll(() =>
  openAccessOnClickHouse({
    keys: {
      operator: {},
      aurora: { fixed: { project: 'aurora' } },
      boreal: { fixed: { project: 'boreal' } },
      dotted: { fixed: { project: 'a.rora' } },
      pattern: { fixed: { project: '.' } },
      german: { fixed: { country: 'DE' }, endpoints: ['get-*'] },
    },
  }),
);
const request = (name: string, target: string, via: 'slow path' | 'fast path' = 'fast path') =>
  opened.gateway.send(name, target, { via });

beforeAll(async () => {
  const timestamp = new Date(Date.now() - 60_000).toISOString().replace('Z', '');
  const record = (project: string, path: string, event_message: string): object => ({
    project,
    timestamp,
    event_message,
    // Each names the other project, so that a pattern over URLs matches it.
    url: `https://${project}.example${path}?ref=aurora,boreal,a.rora`,
    path,
    metadata: { event_message },
    status_code: 200,
    execution_time_ms: project === 'aurora' ? 10 : 9999,
  });
  const { insert } = opened.database;
  const of = (project: string, path: string, text: string, count: number): readonly object[] =>
    Array.from({ length: count }, () => record(project, path, text));
  await insert('edge_logs', [
    ...of('aurora', '/rest/v1', 'mine', 3),
    ...of('boreal', '/storage/v1', SECRET, 5),
    ...of('auroraX', '/auth/v1', SECRET, 7),
  ]);
  await insert('function_relay_logs', [...of('aurora', '/f', 'mine', 2), ...of('boreal', '/f', SECRET, 4)]);
  await insert('custom_events', [
    { timestamp, event_type: 'url_redirect', event_name: 'visible', country: 'DE' },
    { timestamp, event_type: 'url_redirect', event_name: SECRET, country: 'FR' },
  ]);
});

const API_COUNTS = ['rest', 'storage', 'auth', 'realtime'] as const;
const countsOf = async (name: string, target: string): Promise<readonly number[]> => {
  const rows = rowsIn(await request(name, target));
  return API_COUNTS.map((api) => rows.reduce((sum, row) => sum + Number(row[`total_${api}_requests`]), 0));
};

describe('a key with a pinned project', () => {
  it('reads only its own records of logs.all', async () => {
    const response = await request('aurora', `${QUERY}/logs.all`);
    expect(rowsIn(response)).toHaveLength(3);
    expect(response.text).not.toContain(SECRET);
    expect(rowsIn(await request('boreal', `${QUERY}/logs.all`))).toHaveLength(5);
    expect(outcomeOf(await request('aurora', `${QUERY}/logs.all?project=boreal`))).toBe(FORBIDDEN);
  });

  it('reads only its own functions of functions.invocation-stats', async () => {
    const target = `${QUERY}/functions.invocation-stats?interval=1hr`;
    const total = async (name: string) =>
      rowsIn(await request(name, target)).reduce((sum, row) => sum + Number(row['count']), 0);
    expect([await total('aurora'), await total('boreal'), await total('aurora')]).toEqual([2, 4, 2]);
    const [row] = rowsIn(await request('aurora', target));
    expect(row?.['max_execution_time']).toBe(10);
  });

  it('reads its own requests of usage.api-counts, whatever their URLs contain', async () => {
    expect(await countsOf('aurora', COUNTS)).toEqual([3, 0, 0, 0]);
    expect(await countsOf('boreal', COUNTS)).toEqual([0, 5, 0, 0]);
    expect(await countsOf('aurora', `${COUNTS}&project=aurora`)).toEqual([3, 0, 0, 0]);
    // For a key without a pinned project the value is a pattern.
    expect(await countsOf('operator', `${COUNTS}&project=aurora`)).toEqual([3, 5, 7, 0]);
    expect(await countsOf('operator', `${COUNTS}&project=.`)).toEqual([3, 5, 7, 0]);
  });

  it('is compared literally, even if it is a pattern', async () => {
    expect(await countsOf('dotted', COUNTS)).toEqual([0, 0, 0, 0]);
    expect(await countsOf('pattern', COUNTS)).toEqual([0, 0, 0, 0]);
    expect(await countsOf('pattern', `${COUNTS}&project=.`)).toEqual([0, 0, 0, 0]);
  });

  const tricks = [
    '.',
    '',
    '.*',
    '^',
    '$',
    '|',
    'aurora|boreal',
    'aurora|',
    '|aurora',
    '(?i)',
    '(?i)aurora',
    '(?s).',
    'aurora.*',
    '^aurora$',
    'auror[a]',
    'aurora?',
    '\\Qaurora\\E',
    'Aurora',
    'AURORA',
    ' aurora',
    'aurora ',
    'aurora\n',
    'aurora\0',
    'aurora%',
    "aurora' OR 1=1",
    "aurora'--",
    'aurora\\',
    'boreal',
    'auroraX',
    '{project:String}',
    'аurora',
    'au\u00adrora',
    '\ufeffaurora',
  ];
  it.each(tricks.map((trick) => [trick]))('does not change for %j, on any endpoint', async (trick) => {
    const value = encodeURIComponent(trick);
    for (const target of [
      `${COUNTS}&project=${value}`,
      `${COUNTS}&%70roject=${value}`,
      `${COUNTS}&project=aurora&project=${value}`,
      `${COUNTS}&project=${value}&project=aurora`,
      `${COUNTS}&project=${value}&p%72oject=aurora`,
      `${QUERY}/logs.all?project=${value}`,
      `${QUERY}/functions.invocation-stats?project=${value}`,
    ]) {
      const response = await request('aurora', target);
      expect([target, outcomeOf(response)]).toEqual([target, FORBIDDEN]);
      expect(response.text).not.toContain(SECRET);
    }
  });

  it.each([
    'Project',
    'PROJECT',
    'project[]',
    'project[0]',
    'project.',
    '+project',
    'project%00',
    '%EF%BB%BFproject',
    '%C0%B0roject',
  ])('does not change for an undeclared parameter called %s', async (name) => {
    expect(await countsOf('aurora', `${COUNTS}&${name}=.`)).toEqual([3, 0, 0, 0]);
    expect(rowsIn(await request('aurora', `${QUERY}/logs.all?${name}=boreal`))).toHaveLength(3);
  });

  it.each(['get-grouped-stats-events-logs', 'get-grouped-stats-redirects'])(
    'cannot call %s, which has no project',
    async (endpoint) => {
      for (const query of ['', '?project=aurora', '?country=DE', '?project=']) {
        expect(outcomeOf(await request('aurora', `${QUERY}/${endpoint}${query}`))).toBe(FORBIDDEN);
      }
      expect(rowsIn(await request('operator', `${QUERY}/${endpoint}`))).toHaveLength(2);
    },
  );
});

describe('a key with another pinned parameter', () => {
  it.each(['get-grouped-stats-events-logs', 'get-grouped-stats-redirects'])(
    'applies it on %s',
    async (endpoint) => {
      const response = await request('german', `${QUERY}/${endpoint}`);
      expect(rowsIn(response)).toHaveLength(1);
      expect(response.text).not.toContain(SECRET);
      for (const country of ['FR', '', 'de', 'DE&country=FR', '%2A'])
        expect(outcomeOf(await request('german', `${QUERY}/${endpoint}?country=${country}`))).toBe(FORBIDDEN);
    },
  );
});

describe.each(['slow path', 'fast path'] as const)('on the %s', (via) => {
  it('never returns one key’s cached result to a key with another project', async () => {
    for (const target of [COUNTS, `${QUERY}/functions.invocation-stats?interval=15min`]) {
      for (let times = 0; times < 3; times += 1) await request('boreal', target, via);
      const [mine, theirs] = [await request('aurora', target, via), await request('boreal', target, via)];
      expect(mine.text).not.toBe(theirs.text);
      expect(theirs.headers['x-cache']).toBe('HIT');
      expect((await request('aurora', target, via)).text).toBe(mine.text);
    }
  });
});
