import { createTestDatabase } from '../../support/clickhouse.js';
import { pollUntil } from '../../support/poll-until.js';
import { withSqlGateway, type SqlEndpoints, type SqlGateway } from '../../support/sql-gateway.js';
import { newPrefix, sharedRedisUrl } from '../../support/test-redis.js';
import { spansIn, withCollector } from '../../support/trace-collector.js';

const COLUMNS = ['columns: { n: UInt8 }', 'tables: true', 'example: {}'];
const ENDPOINTS: SqlEndpoints = {
  'one.a': [COLUMNS, 'SELECT 1 AS n'],
  'one.limited': [['limits: { requests: { quota: 2, window: 60 } }', ...COLUMNS], 'SELECT 1 AS n'],
};
const KEYS = { all: {}, costly: { limits: { rowsRead: { quota: 1000, window: 60 } } } };

/** The line of the log of the request with an id. */
const lineOf = ({ logger }: SqlGateway, id: string): Promise<Readonly<Record<string, unknown>>> =>
  pollUntil('it is logged', () =>
    Promise.resolve(logger.lines.find(({ fields }) => fields['requestId'] === id)?.fields),
  );

async function metricsOf({ gateway }: SqlGateway): Promise<string> {
  return (await fetch(`${gateway.adminUrl ?? ''}/metrics`)).text();
}

describe('a statement', () => {
  test('is in metrics as a request, in none of exports, and in the log without its URL', async () => {
    await withSqlGateway({ ADMIN_PORT: '0' }, { endpoints: ENDPOINTS, keys: KEYS }, async (gateway) => {
      await gateway.rows('SELECT n FROM one_a', { key: 'qg_all', headers: { 'X-Request-Id': 'a' } });
      await fetch(`${gateway.sqlUrl}/ping`, { headers: { 'X-Request-Id': 'ping' } });
      await lineOf(gateway, 'ping');
      const levels = gateway.logger.lines.map(({ level, fields: { requestId, path } }) => ({
        ...{ level, requestId, path },
      }));
      expect(levels).toContainEqual({ level: 'info', requestId: 'a', path: '/' });
      expect(levels).toContainEqual({ level: 'debug', requestId: 'ping', path: '/ping' });
      const metrics = await metricsOf(gateway);
      expect(metrics).toContain('querygate_requests_total{endpoint="one.a",status="200",cache="BYPASS"} 1\n');
      expect(metrics).toContain('querygate_connections 1\n');
      expect(metrics).toContain('querygate_statements_running 0\n');
      expect(metrics).not.toContain('querygate_export_bytes_total{');
      // Some drivers send both in the URL.
      const inUrl = new URLSearchParams({ password: 'qg_all', query: "SELECT 'seen-in-url'" });
      const response = await fetch(`${gateway.sqlUrl}/?${inUrl.toString()}`, {
        headers: { 'X-Request-Id': 'url' },
      });
      expect(await response.text()).toBe('seen-in-url\n');
      expect(await lineOf(gateway, 'url')).toMatchObject({ path: '/', status: 200 });
      expect(JSON.stringify(gateway.logger.lines)).not.toMatch(/qg_all|seen-in-url/);
    });
  });

  test('counts against the limits of the endpoints that it reads', async () => {
    await withSqlGateway({}, { endpoints: ENDPOINTS, keys: KEYS }, async ({ gateway, send, rows }) => {
      const read = 'SELECT a.n FROM one_limited AS a CROSS JOIN one_limited AS b CROSS JOIN one_a AS c';
      await rows(read, { key: 'qg_all' });
      const call = `${gateway.url}/api/endpoints/query/one.limited`;
      const called = async (): Promise<number> =>
        (await fetch(call, { headers: { 'X-API-KEY': 'qg_all' } })).status;
      expect([await called(), await called()]).toEqual([200, 429]);
      const response = await send(read, { key: 'qg_all' });
      expect(response.headers.get('x-clickhouse-exception-code')).toBe('201');
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    });
  });

  test('has its cost in the log where that is charged in Redis', async () => {
    const variables = { REDIS_URL: sharedRedisUrl(), CACHE_KEY_PREFIX: newPrefix() };
    await withSqlGateway(variables, { endpoints: ENDPOINTS, keys: KEYS }, async (gateway) => {
      await gateway.rows('SELECT n FROM one_a', { key: 'qg_costly', headers: { 'X-Request-Id': 'c' } });
      expect(await lineOf(gateway, 'c')).toMatchObject({
        ...{ cache: 'BYPASS', clickhouseMs: expect.any(Number) as number },
      });
    });
  });

  test('is in the request log with its tool and all endpoints that it reads, which count as called', async () => {
    const database = await createTestDatabase();
    const { username, password } = database.connection;
    const log = { CLICKHOUSE_LOG_USER: username, CLICKHOUSE_LOG_PASSWORD: password };
    const project = {
      ...{ endpoints: ENDPOINTS, keys: { all: {}, log: { endpoints: ['gateway.*'] } } },
      connect: () => Promise.resolve(database.connection),
    };
    await withSqlGateway(log, project, async ({ gateway, rows }) => {
      const headers = { 'User-Agent': 'a\\b\tc/1' };
      await rows('SELECT a.n FROM one_a AS a CROSS JOIN one_limited AS b', { key: 'qg_all', headers });
      const read = async (endpoint: string): Promise<readonly Readonly<Record<string, unknown>>[]> => {
        const url = `${gateway.url}/api/endpoints/query/${endpoint}`;
        const response = await fetch(url, { headers: { 'X-API-KEY': 'qg_log' } });
        return ((await response.json()) as { result: readonly Readonly<Record<string, unknown>>[] }).result;
      };
      const written = async (): Promise<Readonly<Record<string, unknown>> | undefined> =>
        (await read('gateway.requests')).find(({ key_name }) => key_name === 'all');
      const row = await pollUntil('it is written', written, 60_000);
      expect(row).toMatchObject({ endpoint: '(several)', tool: 'a?b?c/1', tables: 'one.a,one.limited' });
      const callers = (await read('gateway.callers')).filter(({ key_name }) => key_name === 'all');
      expect(callers).toMatchObject([
        { endpoint: 'one.a', requests: 1 },
        { endpoint: 'one.limited', requests: 1 },
      ]);
      expect(await read('gateway.callers?endpoint=one.a&key_name=all')).toMatchObject([
        { endpoint: 'one.a' },
      ]);
    });
    await database.close();
  }, 120_000);

  test('has a span in the client’s trace, and its query in that span', async () => {
    const trace = '0af7651916cd43dd8448eb211c80319c';
    await withCollector(async (url, { texts }) => {
      const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: url };
      await withSqlGateway(variables, { endpoints: ENDPOINTS, keys: KEYS }, async ({ rows }) => {
        const headers = { traceparent: `00-${trace}-b7ad6b7169203331-01` };
        await rows("SELECT n FROM one_a WHERE n != 77 AND 'qzx' != ''", { key: 'qg_all', headers });
      });
      const spans = spansIn(texts).filter(({ traceId }) => traceId === trace);
      const request = spans.find(({ name }) => name === 'POST one.a');
      expect(request).toMatchObject({ parentSpanId: 'b7ad6b7169203331' });
      expect(spans).toContainEqual(
        expect.objectContaining({ name: 'ClickHouse query', parentSpanId: request?.spanId }),
      );
      expect(texts.join()).not.toMatch(/qzx|qg_all/);
    });
  });
});
