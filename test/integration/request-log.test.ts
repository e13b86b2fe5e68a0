import { REQUEST_LOG_COLUMNS } from '../../src/gateway/observability/request-log-columns.js';
import { createTestDatabase, type TestDatabase } from '../support/clickhouse.js';
import { exchange } from '../support/raw-exchange.js';
import { pollUntil } from '../support/poll-until.js';
import type { RunningProcess } from '../support/start-process.js';
import { urlOf, withGateway } from '../support/with-gateway.js';

const KEY = 'qg_only-for-tests';
const CALL = '/api/endpoints/query/functions.invocation-stats?project=aurora&interval=1day';

type Row = Readonly<Record<string, unknown>>;

/** Sends a request with the key, and returns the response. */
type Send = (path: string, id?: string, key?: string) => Promise<Response>;

let database: TestDatabase;
/** That of a gateway whose many requests no other test should find. */
let databaseOfBusy: TestDatabase;
beforeAll(async () => {
  [database, databaseOfBusy] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  const timestamp = new Date(Date.now() - 60_000).toISOString().replace('Z', '');
  await database.insert('function_relay_logs', [{ project: 'aurora', timestamp, execution_time_ms: 1 }]);
});
afterAll(() => Promise.all([database.close(), databaseOfBusy.close()]));

/** The environment of a process that uses the test's database. */
function onDatabase(): Readonly<Record<string, string>> {
  const { url, username, password } = database.connection;
  return {
    CLICKHOUSE_URL: url,
    CLICKHOUSE_USER: username,
    CLICKHOUSE_PASSWORD: password,
    CLICKHOUSE_DATABASE: database.name,
    CLICKHOUSE_LOG_USER: username,
    CLICKHOUSE_LOG_PASSWORD: password,
  };
}

/** Runs a test's body with a gateway process on the test's database, with the request log on. */
async function withRequestLog(
  environment: Readonly<Record<string, string>>,
  use: (send: Send, adminUrl: string, gateway: RunningProcess) => Promise<void>,
): Promise<void> {
  const own = { ...onDatabase(), ADMIN_PORT: '0', API_KEY: KEY };
  await withGateway({ ...own, ...environment }, async (gateway) => {
    const [, adminUrl = ''] = await gateway.untilWritten(/"message":"admin API ready".*"url":"(http:[^"]+)"/);
    const gatewayUrl = await urlOf(gateway);
    const send: Send = (path, id = 'r', key = KEY) =>
      fetch(gatewayUrl + path, { headers: { 'X-API-KEY': key, 'X-Request-Id': id } });
    await use(send, adminUrl, gateway);
  });
}

describe('the request log in ClickHouse', () => {
  it('has the columns that are declared, with their types and documentation', async () => {
    const query = `DESCRIBE TABLE ${database.name}.gateway_requests`;
    const described = await database.client.query({ query, format: 'JSON' });
    const { data } = await described.json<Row>();
    const declared = REQUEST_LOG_COLUMNS.map(({ name, type, comment }) => ({ name, type, comment }));
    expect(data.map(({ name, type, comment }) => ({ name, type, comment }))).toEqual(declared);
  });

  it.concurrent(
    'can be read through an endpoint of the gateway: callers, outcomes and costs',
    async () => {
      await withRequestLog({}, async (send, adminUrl) => {
        await (await send(CALL, 'sent-1')).arrayBuffer();
        await (await send(CALL, 'sent-2')).arrayBuffer();
        await (await send('/api/endpoints/query/usage.api-counts', 'sent-3')).arrayBuffer();
        const rows = await pollUntil(
          'three requests are logged',
          async () => {
            const response = await send('/api/endpoints/query/gateway.requests');
            const { result } = (await response.json()) as { result: readonly Row[] };
            const logged = result.filter(({ request_id }) => String(request_id).startsWith('sent-'));
            return logged.length === 3 ? logged.toSorted(byId) : undefined;
          },
          120_000,
        );
        const of = { endpoint: 'functions.invocation-stats', key_name: 'API_KEY', status: 200, code: '' };
        expect(rows).toEqual([
          expect.objectContaining({ ...of, cache: 'MISS' }),
          expect.objectContaining({ ...of, cache: 'HIT', query_id: '', rows_read: 0, clickhouse_ms: 0 }),
          expect.objectContaining({ endpoint: 'usage.api-counts', status: 400, code: 'INVALID_PARAMETERS' }),
        ]);
        const [miss, hit] = rows;
        expect(miss?.['query_id']).toMatch(/^sent-1-[0-9a-f]{8}$/);
        expect(Number(miss?.['rows_read'])).toBeGreaterThan(0);
        expect(Number(miss?.['total_ms'])).toBeGreaterThanOrEqual(Number(miss?.['clickhouse_ms']));
        expect(hit?.['parameters']).toBe(miss?.['parameters']);
        const ofCallers = await send(
          '/api/endpoints/query/gateway.callers?endpoint=functions.invocation-stats',
        );
        const { result: callers } = (await ofCallers.json()) as { result: readonly Row[] };
        const last_time = rows[1]?.['timestamp'];
        const { endpoint, key_name } = of;
        expect(callers).toEqual([{ endpoint, key_name, requests: 2, errors: 0, last_time }]);
        const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
        expect(metrics).toContain('\nquerygate_request_records_dropped_total 0\n');
      });
    },
    120_000,
  );

  it.concurrent(
    'has a sample of the requests without a key, and counts all of them',
    async () => {
      await withRequestLog({}, async (send, adminUrl) => {
        const rejected = Array.from({ length: 60 }, () => send(CALL, 'r', ''));
        expect((await Promise.all(rejected)).map(({ status }) => status)).toEqual(Array(60).fill(401));
        const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
        const skipped = Number(/^querygate_request_records_skipped_total (\d+)$/m.exec(metrics)?.[1]);
        // A flush may come between them, and begins another sample.
        expect([40, 50]).toContain(skipped);
        await pollUntil(
          'the sample is written',
          async () => {
            const response = await send('/api/endpoints/query/gateway.requests');
            const { result } = (await response.json()) as { result: readonly Row[] };
            const rows = result.filter(({ code }) => code === 'API_KEY_MISSING');
            return rows.length === 60 - skipped || undefined;
          },
          120_000,
        );
      });
    },
    120_000,
  );

  it.concurrent(
    'and the metrics have every request of a busy gateway, also of one that stops',
    async () => {
      await withRequestLog({ CLICKHOUSE_DATABASE: databaseOfBusy.name }, async (send, adminUrl, gateway) => {
        const { port } = new URL(await urlOf(gateway));
        const hit = (more = ''): string =>
          `GET ${CALL} HTTP/1.1\r\nHost: gateway\r\nX-API-KEY: ${KEY}\r\nX-Request-Id: busy\r\n${more}\r\n`;
        const sendMany = async (times: number): Promise<void> => {
          const pipelined = hit().repeat(times - 1) + hit('Connection: close\r\n');
          expect(await exchange(Number(port), pipelined)).toHaveLength(times);
        };
        await (await fetch(`${adminUrl}/metrics`)).text();
        await (await send(CALL, 'busy')).arrayBuffer();
        await sendMany(2000);
        const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
        const ofHits = /^querygate_requests_total\{.*cache="HIT".*\} (\d+)$/m.exec(metrics);
        expect(ofHits?.[1]).toBe('2000');
        await sendMany(500);
        gateway.child.kill('SIGTERM');
        expect(await gateway.ended).toBe(0);
        expect(gateway.stdout().match(/"requestId":"busy"/g)).toHaveLength(2501);
        await pollUntil(
          'all of them are in the table',
          async () => {
            const { client, name } = databaseOfBusy;
            const query = `SELECT count() FROM ${name}.gateway_requests WHERE request_id = 'busy'`;
            const counted = await client.query({ query, format: 'TabSeparated' });
            return Number(await counted.text()) === 2501 || undefined;
          },
          60_000,
        );
      });
    },
    120_000,
  );

  it.concurrent(
    'is not written if it is disabled; then no endpoint exists for it',
    async () => {
      await withRequestLog({ REQUEST_LOG: 'off' }, async (send) => {
        expect((await send('/api/endpoints/query/gateway.requests')).status).toBe(404);
      });
    },
    120_000,
  );
});

function byId(a: Row, b: Row): number {
  return String(a['request_id']) < String(b['request_id']) ? -1 : 1;
}
