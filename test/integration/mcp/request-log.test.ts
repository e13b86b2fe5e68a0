import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { keyNamed } from '../../support/access-gateway.js';
import { useTestDatabase } from '../../support/clickhouse.js';
import { variablesOf } from '../../support/demo-database.js';
import { REVISIONS, type Revision } from '../../support/mcp-client.js';
import { httpMessage } from '../../support/mcp-message.js';
import { pollUntil } from '../../support/poll-until.js';
import { withTemporaryFolder } from '../../support/temporary-folder.js';
import { urlOf, withGateway } from '../../support/with-gateway.js';
import { writeKeys } from '../../support/write-keys.js';

const NAME = 'functions_invocation-stats';
const ENDPOINT = 'functions.invocation-stats';

type Row = Readonly<Record<string, unknown>>;

const database = useTestDatabase();
beforeAll(async () => {
  const timestamp = new Date(Date.now() - 60_000).toISOString().replace('Z', '');
  const rows = REVISIONS.map((revision) => ({ project: `of-${revision}`, timestamp, execution_time_ms: 1 }));
  await database.insert('function_relay_logs', rows);
});

const select = async (query: string, prefix: string): Promise<readonly Row[]> => {
  const result = await database.client.query({ query, query_params: { prefix }, format: 'JSONEachRow' });
  return result.json<Row>();
};

/** The rows of the request log whose request id begins with a text, once there are so many. */
const loggedRows = (prefix: string, count: number): Promise<readonly Row[]> =>
  pollUntil(`${count} requests are logged`, async () => {
    const rows = await select(
      'SELECT * FROM gateway_requests WHERE startsWith(request_id, {prefix:String}) ORDER BY request_id',
      prefix,
    );
    return rows.length >= count ? rows : undefined;
  });

interface Call {
  readonly requestId: string;
  readonly key?: string;
  readonly name?: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

/** Calls a tool as a client of the revision does. Every response has status 200, also those with an error. */
async function call(
  url: string,
  revision: Revision,
  { requestId, key = 'caller', name = NAME, args = {} }: Call,
): Promise<void> {
  const params = { name, arguments: args };
  const { headers, body } = httpMessage(revision, { method: 'tools/call', params });
  const identity = { 'X-API-KEY': keyNamed(key), 'X-Request-Id': requestId };
  const response = await fetch(`${url}/mcp`, { method: 'POST', headers: { ...headers, ...identity }, body });
  expect([response.status, response.headers.get('x-request-id')]).toEqual([200, requestId]);
  await response.arrayBuffer();
}

const ONE_REQUEST = { limits: { requests: { quota: 1, window: 60 } } };
const KEYS = { caller: {}, 'limited-2026-07-28': ONE_REQUEST, 'limited-2025-11-25': ONE_REQUEST };

/** Runs a test's body with a gateway that listens on a URL. */
const withMcp = (
  environment: Readonly<Record<string, string>>,
  use: (url: string) => Promise<void>,
): Promise<void> =>
  withTemporaryFolder(async (folder) => {
    const { username, password } = database.connection;
    const variables = {
      ...variablesOf(database.connection),
      CLICKHOUSE_LOG_USER: username,
      CLICKHOUSE_LOG_PASSWORD: password,
      API_KEYS_FILE: await writeKeys(folder, KEYS),
    };
    await withGateway({ ...variables, ...environment }, async (gateway) => {
      await use(await urlOf(gateway));
    });
  });

/** Calls with each outcome, in the order of their request ids. */
async function callWithEachOutcome(url: string, revision: Revision): Promise<void> {
  const id = (what: string): string => `${revision}-${what}`;
  const args = { project: `of-${revision}`, interval: '1day' };
  await call(url, revision, { requestId: id('1-miss'), args });
  await call(url, revision, { requestId: id('2-hit'), args });
  await call(url, revision, { requestId: id('3-invalid'), args: { ...args, shop: 'x' } });
  await call(url, revision, { requestId: id('4-last'), key: `limited-${revision}`, args });
  await call(url, revision, { requestId: id('5-limited'), key: `limited-${revision}`, args });
}

describe('the request log', () => {
  it.concurrent('has endpoint, key, status and code of a tool’s errors, cache status and cost', async () => {
    await withMcp({}, async (url) => {
      for (const revision of REVISIONS) await callWithEachOutcome(url, revision);
      for (const revision of REVISIONS) {
        const rows = await loggedRows(`${revision}-`, 5);
        const of = { endpoint: ENDPOINT, key_name: 'caller', code: '' };
        const limited = { ...of, key_name: `limited-${revision}` };
        const without = { query_id: '', rows_read: 0, clickhouse_ms: 0 };
        expect(rows.map(numbersOf)).toMatchObject([
          { ...of, status: 200, cache: 'MISS', row_count: 1 },
          { ...of, ...without, status: 200, cache: 'HIT', row_count: 1 },
          { ...of, ...without, status: 400, code: 'INVALID_PARAMETERS', cache: '' },
          { ...limited, ...without, status: 200, cache: 'HIT', row_count: 1 },
          { ...limited, ...without, status: 429, code: 'LIMIT_EXCEEDED', cache: '' },
        ]);
        const [miss, hit] = rows;
        expect(Number(miss?.['rows_read'])).toBeGreaterThan(0);
        expect(hit?.['parameters']).toBe(miss?.['parameters']);
        expect(await queriesOf(`${revision}-`)).toEqual([
          { query_id: miss?.['query_id'], log_comment: `${revision}-1-miss` },
        ]);
      }
    });
  });

  it.concurrent('has 504 for a call whose query exceeds its time limit', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = path.join(folder, 'settings.json');
      await writeFile(file, JSON.stringify({ [ENDPOINT]: { queryLimits: { timeoutSeconds: 0.001 } } }));
      await withMcp({ ENDPOINT_SETTINGS_FILE: file }, async (url) => {
        for (const revision of REVISIONS) {
          const args = { project: `late-${revision}`, interval: '1day' };
          await call(url, revision, { requestId: `late-${revision}`, args });
        }
        const of504 = { endpoint: ENDPOINT, status: 504, code: 'QUERY_TIMEOUT' };
        expect(await loggedRows('late-', REVISIONS.length)).toMatchObject(REVISIONS.map(() => of504));
      });
    });
  });
});

/** The queries in ClickHouse's own log whose comment begins with a text. */
async function queriesOf(prefix: string): Promise<readonly Row[]> {
  await database.client.command({ query: 'SYSTEM FLUSH LOGS' });
  return select(
    `SELECT query_id, log_comment FROM system.query_log
     WHERE type = 'QueryFinish' AND startsWith(log_comment, {prefix:String}) AND current_database = currentDatabase()`,
    prefix,
  );
}

/** ClickHouse writes integers of 64 bits as strings. */
function numbersOf(row: Row): Row {
  return { ...row, rows_read: Number(row['rows_read']), row_count: Number(row['row_count']) };
}
