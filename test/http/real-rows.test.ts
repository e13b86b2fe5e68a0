import { createQueryRunner } from '../../src/gateway/clickhouse/query-runner.js';
import { useTestDatabase } from '../support/clickhouse.js';
import { createTestGateway, problemOf, type TestGateway } from '../support/test-gateway.js';

const COUNTS = '/api/endpoints/query/usage.api-counts';
const database = useTestDatabase();
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await createTestGateway({ clock: () => new Date() });
  gateway.runQuery.respondWith(createQueryRunner(database.client, { timeoutMs: 10_000 }));
  const timestamp = new Date(Date.now() - 60_000).toISOString().replace('Z', '');
  await database.insert(
    'edge_logs',
    Array.from({ length: 150 }, (_, index) => ({
      timestamp,
      project: 'aurora',
      url: 'https://aurora.example/rest/v1',
      event_message: `line ${index}\n"quoted"\t\\`,
      metadata: '{\n  "pretty": [1,\n 2]\n}',
    })),
  );
});

const withParameters = (url: string, parameters: Readonly<Record<string, string>>): string =>
  `${url}?${new URLSearchParams(parameters).toString()}`;

describe('rows from ClickHouse', () => {
  it('are truncated exactly at the row cap of logs.all, and the response says so', async () => {
    const response = await gateway.get('/api/endpoints/query/logs.all?project=aurora');
    const { result } = JSON.parse(response.text) as { result: Record<string, unknown>[] };
    expect([response.status, result.length]).toEqual([200, 100]);
    expect(response.headers).toMatchObject({ 'x-row-count': '100', 'x-truncated': 'true' });
    expect(Object.keys(result[0] ?? {})).toEqual(['id', 'timestamp', 'event_message', 'metadata']);
    expect(result[0]?.['timestamp']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(result[0]?.['event_message']).toMatch(/^line \d+\n"quoted"\t\\$/);
  });
});

describe('a regular expression', () => {
  it.each([
    '(',
    'a\\',
    '(?<!a)b',
    '((a{30}){30}){30}',
    '(TIMEOUT_EXCEEDED)(',
    'Exception: (NETWORK_ERROR)[',
    "'(",
    '{x:String}(',
  ])('that RE2 does not compile returns 400 naming its parameter: %s', async (project) => {
    const response = await gateway.get(withParameters(COUNTS, { project, interval: 'daily' }));
    expect(problemOf(response)).toMatchObject({
      status: 400,
      code: 'INVALID_PARAMETERS',
      problems: [{ param: 'project', problem: 'is not a regular expression that RE2 compiles' }],
    });
    expect(response.text).not.toMatch(/TIMEOUT_EXCEEDED|NETWORK_ERROR|match\(|edge_logs/);
  });
});
