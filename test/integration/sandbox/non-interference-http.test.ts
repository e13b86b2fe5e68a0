import { openAccessOnClickHouse } from '../../support/access-on-clickhouse.js';
import { outcomeOf, type NetworkResponse } from '../../support/network-request.js';
import { fillTables, NOW, type Hidden } from './non-interference/hidden-rows.js';
import { compareOutcomes } from './non-interference/outcomes.js';
import { generateStatements } from './non-interference/statements.js';
import { openForAll } from '../../support/opened.js';

/** Two statements of each shape. */
const STATEMENTS = 50;
const SEED = 20_960_302;
const BUDGET = { quota: 1_000_000_000, window: 3600 };
const BUDGETS = { rowsRead: BUDGET, bytesRead: BUDGET, clickhouseMs: BUDGET };
const LOGS = '/api/endpoints/query/logs.all?project_tier=FREE';
const FORMATS = ['json', 'json-table', 'ndjson', 'csv', 'tsv', 'parquet', 'arrow'];

const opened = openForAll(async () => {
  const fixed = { project: 'mine' };
  const spent = { quota: 1, window: 3600 };
  return openAccessOnClickHouse({
    keys: {
      tenant: { fixed, limits: BUDGETS },
      metered: { fixed, limits: { ...BUDGETS, rowsRead: spent, requests: BUDGET } },
      elsewhere: { endpoints: ['functions.invocation-stats'], limits: BUDGETS },
    },
    settings: { 'logs.all': { sandboxing: 'enabled', maxRows: 50 } },
    clock: () => NOW,
  });
});

const fill = (hidden: Hidden): Promise<void> => fillTables([opened.database.connection], '', hidden);

const request = (sql: string, { key = 'tenant', format = 'json' } = {}): Promise<NetworkResponse> =>
  opened.gateway.send(key, `${LOGS}&format=${format}&sql=${encodeURIComponent(sql)}`, {
    headers: { 'X-Request-Id': 'non-interference' },
  });

/** Everything that a caller observes, except the date and the elapsed milliseconds, which cannot be hidden. */
function observed({ status, headers: { date, ...headers }, text }: NetworkResponse): string {
  const timing = String(headers['server-timing']).replace(/^total;dur=\d+\.\d\d$/, 'total');
  return `${status} ${JSON.stringify({ ...headers, 'server-timing': timing, date: typeof date })} ${text}`;
}

it('returns the same status, headers and body whatever the hidden rows contain', async () => {
  const statements = generateStatements(STATEMENTS, SEED).map((statement, index) => ({
    ...statement,
    format: FORMATS[index % FORMATS.length] ?? 'json',
  }));
  const { leaks, succeeded } = await compareOutcomes(statements, fill, async ({ sql, format }) =>
    observed(await request(sql, { format })),
  );
  process.stdout.write(`non-interference over HTTP: ${statements.length} statements of seed ${SEED}\n`);
  expect(leaks.slice(0, 5)).toEqual([]);
  expect(succeeded).toBeGreaterThan(0.9 * statements.length);
}, 300_000);

describe('the letters of a row that a caller must not see', () => {
  const LETTERS = ['S', 'E', 'C', 'R', 'T', 'x'];
  /** The reported attack: an exception for each letter that a hidden row has at a position. */
  const extract = async (filter: string): Promise<string> => {
    const positions = [1, 2, 3, 4].flatMap((position) =>
      LETTERS.map((letter) => ({ position: position, letter })),
    );
    const extracted = await Promise.all(
      positions.map(async ({ position: position, letter }) => {
        const isThere = `substring(event_message, ${position}, 1) = '${letter}'`;
        const response = await request(
          `SELECT count() FROM edge_source WHERE ${filter} AND intDiv(1, if(${isThere}, 0, 1)) = 1`,
        );
        return response.status === 200 ? '' : letter;
      }),
    );
    return extracted.join('');
  };

  beforeAll(() => fill('poisonous'));

  it.each([
    ['another tenant’s', "timestamp > toDateTime64('2096-02-29 12:00:00', 6)"],
    ['a row past the retention of the tier', "timestamp <= toDateTime64('2096-02-29 12:00:00', 6)"],
  ])('cannot be extracted by exceptions: %s', async (_which, filter) => {
    expect(await extract(filter)).toBe('');
  });

  it('are not in the rows that a caller reads', async () => {
    const { status, text } = await request('SELECT groupArray(event_message) AS all FROM edge_source');
    expect([status, text.includes('SECRET')]).toEqual([200, false]);
  });
});

describe('the cost of a query', () => {
  it('is in no header or body of a response to SQL', async () => {
    const response = await request('SELECT 1 AS x', { format: 'json-table' });
    expect(Object.keys(JSON.parse(response.text) as object)).toEqual(['meta', 'data', 'rows', 'truncated']);
    expect(response.headers['server-timing']).toMatch(/^total;dur=\d+\.\d\d$/);
    expect(Object.keys(response.headers).filter((name) => name.startsWith('ratelimit'))).toEqual([]);
  });

  it('is in no header of another call of the same key, which has the same budgets', async () => {
    const others = ['/api/endpoints', LOGS, '/api/endpoints/query/functions.invocation-stats'];
    for (const target of others) {
      const { status, headers } = await opened.gateway.send('tenant', target);
      expect([status, headers['ratelimit'], headers['ratelimit-policy']]).toEqual([
        200,
        undefined,
        undefined,
      ]);
    }
  });

  it('is visible for a key that may not send SQL and sees every row', async () => {
    const { headers } = await opened.gateway.send(
      'elsewhere',
      '/api/endpoints/query/functions.invocation-stats?project=mine&interval=1hr',
    );
    expect(headers['ratelimit']).toMatch(/"rows-read";r=\d+;t=\d+, "bytes-read";.*"clickhouse-ms"/);
  });

  it('is limited: 429 names the limit and the time to retry, but no remainder', async () => {
    const sql = 'SELECT count() AS n FROM edge_source';
    expect(outcomeOf(await request(sql, { key: 'metered' }))).toBe('200');
    const rejected = await request(sql, { key: 'metered' });
    expect(outcomeOf(rejected)).toBe('429 LIMIT_EXCEEDED');
    expect(rejected.text).toContain('This key has reached its limit of 1 rows read in 3600 seconds.');
    expect(rejected.headers['retry-after']).toMatch(/^\d+$/);
    expect(rejected.headers['ratelimit']).toMatch(/^"requests";r=\d+;t=\d+$/);
  });

  it('is in the gateway’s log', async () => {
    await request('SELECT count() + 1 AS n FROM edge_source');
    const { fields } =
      opened.gateway.logger.lines.filter(({ message }) => message === 'request').at(-1) ?? {};
    expect(fields?.['clickhouseMs']).toEqual(expect.any(Number));
  });
});
