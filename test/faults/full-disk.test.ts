import { connectClickHouse } from '../../src/gateway/clickhouse/connect-clickhouse.js';
import { EmbeddedServer } from '../../src/commands/embedded/embedded-server.js';
import { createQueryRunner } from '../../src/gateway/clickhouse/query-runner.js';
import { migrate } from '../../src/commands/schema/migrate.js';
import { readSchema } from '../../src/gateway/schema/migration-files.js';
import { column } from '../../src/endpoint/definition.js';
import { FORMAT_NAMES } from '../../src/gateway/formats/formats.js';
import { pollUntil } from '../support/poll-until.js';
import { failureOf, queryRequest } from '../support/query-requests.js';
import { mountSmallDisk } from '../support/small-disk.js';
import { GATEWAY, startProcess, type RunningProcess } from '../support/start-process.js';
import { REFERENCE_GRANTS } from '../support/reference-grants.mjs';
import { REFERENCE } from '../support/reference-project.js';

const KEY = 'qg_only-for-tests';
/** The endpoint's row cap. */
const ROWS = 100;
const MESSAGE = 'x'.repeat(40_960);

const disk = await mountSmallDisk(400);
const describeWithDisk = disk ? describe : describe.skip;

describeWithDisk('a full disk of ClickHouse', () => {
  let clickhouse: EmbeddedServer;
  let gateway: RunningProcess;
  let url = '';

  beforeAll(async () => {
    clickhouse = await EmbeddedServer.start({
      dataDir: disk?.folder ?? '',
      database: 'logs',
      grants: REFERENCE_GRANTS,
      onCrash: (lastOutput) => process.stderr.write(`ClickHouse ended: ${lastOutput}\n`),
    });
    const { adminConnection: admin, readerConnection: reader } = clickhouse;
    await migrate({ connection: admin, schema: await readSchema(REFERENCE.schemaFolder) });
    const client = connectClickHouse(admin, { maxOpenConnections: 1, requestTimeoutMs: 20_000 });
    const values = Array.from({ length: ROWS }, () => ({ project: 'p', event_message: MESSAGE }));
    await client.insert({ table: 'edge_logs', values, format: 'JSONEachRow' });
    await client.close();
    gateway = startProcess(GATEWAY, {
      PORT: '0',
      API_KEY: KEY,
      CLICKHOUSE_URL: reader.url,
      CLICKHOUSE_USER: reader.username,
      CLICKHOUSE_PASSWORD: reader.password,
      CLICKHOUSE_LOG_USER: admin.username,
      CLICKHOUSE_LOG_PASSWORD: admin.password,
    });
    url = (await gateway.untilWritten(/"message":"ready".*"url":"(http:[^"]+)"/))[1] ?? '';
  }, 120_000);

  afterEach(() => disk?.free());

  afterAll(async () => {
    gateway.child.kill('SIGKILL');
    await gateway.ended;
    await clickhouse.stop();
    await disk?.close();
  });

  const ready = async (): Promise<unknown> => {
    const response = await fetch(`${url}/health/ready`);
    return [response.status, await response.json()];
  };
  /** Polled, because the gateway caches the state of the disk for a second. */
  const untilReady = async (hasWarnings: boolean): Promise<unknown> =>
    pollUntil('readiness changes', async () => {
      const response = await ready();
      return JSON.stringify(response).includes('warnings') === hasWarnings ? response : undefined;
    });

  it('does not affect responses of several megabytes in any format', async () => {
    await disk?.fill();
    for (const format of FORMAT_NAMES) {
      const query = `project=p&project_tier=PRO&iso_timestamp_start=2000-01-01&format=${format}`;
      const response = await fetch(`${url}/api/endpoints/query/logs.all?${query}`, {
        headers: { 'X-API-KEY': KEY },
      });
      const body = await response.text();
      expect([format, response.status, response.headers.get('x-row-count')]).toEqual([
        format,
        200,
        String(ROWS),
      ]);
      // Parquet is compressed; the gateway itself has checked that the response is complete.
      if (format !== 'parquet') expect(body.split(MESSAGE)).toHaveLength(ROWS + 1);
    }
  });

  it('is reported by readiness and in the log, while requests are served, until there is space again', async () => {
    expect(await untilReady(false)).toEqual([200, { status: 'ready' }]);
    await disk?.fill();
    expect(await untilReady(true)).toEqual([
      200,
      { status: 'ready', warnings: ['The disk of ClickHouse is full: it serves queries, but cannot write.'] },
    ]);
    await gateway.untilWritten(
      /"level":"error","message":"the disk of ClickHouse is full[^\n]*"server":"127/,
    );
    await disk?.free();
    expect(await untilReady(false)).toEqual([200, { status: 'ready' }]);
    await gateway.untilWritten(/the disk of ClickHouse has space again/);
  });

  it('is reported in the log if the request log cannot be written', async () => {
    await disk?.fill();
    await fetch(`${url}/api/endpoints/query/logs.all?project=q`, { headers: { 'X-API-KEY': KEY } });
    await gateway.untilWritten(
      /the disk of ClickHouse is full"[^\n]*ClickHouse does not accept the request log/,
    );
  });

  describe('and a query that needs disk space', () => {
    const run = async (text: string): Promise<Awaited<ReturnType<typeof failureOf>>> => {
      const connection = { ...clickhouse.readerConnection, database: 'default' };
      const client = connectClickHouse(connection, { maxOpenConnections: 1, requestTimeoutMs: 20_000 });
      const columns = new Map([['n', column('String', 'Text.')]]);
      const runQuery = createQueryRunner(client, { timeoutMs: 20_000, maxMemoryBytes: 1_000_000_000 });
      const failure = await failureOf(runQuery(queryRequest(text, { columns, rowCap: 100_000 })));
      await client.close();
      return failure;
    };
    const LARGE = "SELECT repeat('x', 1024) AS n FROM numbers(40960)";

    it('returns 422, as on a disk with space, if the result is over the limit', async () => {
      const withRoom = await run(LARGE);
      await disk?.fill();
      const full = await run(LARGE);
      expect([withRoom.code, full.code]).toEqual(['RESULT_TOO_LARGE', 'RESULT_TOO_LARGE']);
    });

    it('returns 502, and reports the disk in the log but not to the caller', async () => {
      await disk?.fill();
      const failure = await run(
        `SELECT toString(number) AS n FROM numbers(5000000) ORDER BY cityHash64(number) LIMIT 1000000
         SETTINGS max_bytes_before_external_sort = 1000000, max_bytes_ratio_before_external_sort = 0`,
      );
      expect([failure.code, failure.status]).toEqual(['CLICKHOUSE_FAILED', 502]);
      expect(failure.details.diagnosis).toBe(
        'ClickHouse: NOT_ENOUGH_SPACE (code 243); the disk of ClickHouse is full',
      );
      expect(failure.message).not.toMatch(/disk|space|DB::/i);
    });
  });
});
