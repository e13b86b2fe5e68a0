import { EmbeddedServer } from '../../../src/commands/embedded/embedded-server.js';
import { useAdminClient } from '../../support/clickhouse.js';
import { withCutConnections } from '../../support/cut-connections.js';
import { variablesOf } from '../../support/demo-database.js';
import { ExportingGateway, MOST_ROWS } from '../../support/exporting-gateway.js';
import { pollUntil } from '../../support/poll-until.js';
import { withTemporaryFolder } from '../../support/temporary-folder.js';

let gateway: ExportingGateway;
const client = useAdminClient();
beforeAll(async () => {
  gateway = await ExportingGateway.open();
});
afterAll(() => gateway.close());

let requests = 0;
const newId = (): string => `export-${process.pid}-${(requests += 1)}`;

const hasEnded = async (requestId: string): Promise<true | undefined> => {
  const result = await client.query({
    query: `SELECT count() AS n FROM system.processes WHERE Settings['log_comment'] = {requestId:String} AND query_id != queryID()`,
    query_params: { requestId },
    format: 'JSONEachRow',
  });
  const [row] = await result.json<{ n: string | number }>();
  return Number(row?.n) === 0 || undefined;
};

describe('an export that fails', () => {
  const ENCODINGS = ['identity', 'gzip', 'br'];
  const expectBroken = async (
    call: string,
    expected: { readonly status: number; readonly code: string },
    on = gateway,
  ): Promise<void> => {
    for (const encoding of ENCODINGS) {
      const requestId = newId();
      const headers = { 'X-Request-Id': requestId, 'Accept-Encoding': encoding };
      const received = await on.receive(call, { headers });
      expect([received.status, received.isComplete]).toEqual([200, false]);
      expect(received.body.length).toBeGreaterThan(0);
      expect(received.body.includes('exception')).toBe(false);
      expect(received.trailers).toEqual({});
      expect(await on.logged(requestId)).toMatchObject(expected);
    }
  };

  it.each(['ndjson', 'json', 'csv', 'arrow'])(
    'after its first bytes, as %s, ends without its last chunk and without the exception',
    async (format) => {
      await expectBroken(`rows?n=399999&failing=390000&format=${format}&export=1`, {
        status: 502,
        code: 'CLICKHOUSE_FAILED',
      });
    },
  );

  it('before its first bytes is a problem', async () => {
    const { status, body, isComplete } = await gateway.receive('rows?n=20&failing=10&export=1');
    expect([status, isComplete]).toEqual([502, true]);
    expect(JSON.parse(body.toString())).toMatchObject({ code: 'CLICKHOUSE_FAILED' });
  });

  it('at its cap of rows says how many it may have, or is broken off', async () => {
    const { status, body } = await gateway.receive('few?n=11&export=1');
    expect(status).toBe(422);
    expect(JSON.parse(body.toString())).toMatchObject({
      code: 'RESULT_TOO_LARGE',
      detail: expect.stringContaining('more rows than 10') as string,
    });
    expect((await gateway.receive('few?n=10&export=1')).isComplete).toBe(true);
    await expectBroken(`rows?n=${MOST_ROWS + 1}&format=csv&export=1`, {
      status: 422,
      code: 'RESULT_TOO_LARGE',
    });
  });

  it('at its time limit is a problem before the first bytes', async () => {
    const { status, body } = await gateway.receive('brief?n=100&seconds_each=0.1&export=1');
    expect(status).toBe(504);
    expect(JSON.parse(body.toString())).toMatchObject({ code: 'QUERY_TIMEOUT' });
  });

  it('is broken off when an operator cancels it, who finds it among the calls that run', async () => {
    const requestId = newId();
    const calls = `${String(gateway.gateway.adminUrl)}/calls`;
    const received = await gateway.receive(`rows?n=${MOST_ROWS}&format=csv&export=1`, {
      headers: { 'X-Request-Id': requestId },
      beforeBody: async () => {
        const listed = await (await fetch(calls)).json();
        expect(listed).toMatchObject({ calls: [{ id: requestId, endpoint: 'rows', export: true }] });
        expect((await fetch(`${calls}/${requestId}/cancel`, { method: 'POST' })).status).toBe(200);
      },
    });
    expect([received.status, received.isComplete]).toEqual([200, false]);
    expect(await gateway.logged(requestId)).toMatchObject({ status: 503, code: 'CALL_CANCELLED' });
    await pollUntil('the query has ended', () => hasEnded(requestId));
    expect(await (await fetch(calls)).json()).toEqual({ calls: [] });
  });

  it('at its time limit is broken off, also where the client reads too slowly', async () => {
    const requestId = newId();
    const received = await gateway.receive(`brief?n=${MOST_ROWS}&format=csv&export=1`, {
      headers: { 'X-Request-Id': requestId },
      beforeBody: async () => {
        await gateway.logged(requestId);
      },
    });
    expect(received.isComplete).toBe(false);
    expect(await gateway.logged(requestId)).toMatchObject({ status: 504, code: 'QUERY_TIMEOUT' });
    await pollUntil('the query has ended', () => hasEnded(requestId));
  });

  it('at its time limit is broken off, also after ClickHouse has sent everything', async () => {
    const stalling = await ExportingGateway.open({ MAX_CONCURRENT_EXPORTS: '20' });
    try {
      // Some of these lengths fit into the buffers of the gateway and of its connection to ClickHouse, but not into the client's.
      const lengths = Array.from({ length: 20 }, (_, step) => 1000 + step * 500);
      const outcomes = lengths.map(async (n) => {
        const requestId = newId();
        const { isComplete } = await stalling.receive(`brief?n=${n}&format=csv&export=1`, {
          headers: { 'X-Request-Id': requestId },
          beforeBody: async () => {
            await stalling.logged(requestId);
          },
        });
        const { status } = await stalling.logged(requestId);
        expect([n, status]).toEqual([n, isComplete ? 200 : 504]);
        return isComplete;
      });
      expect(await Promise.all(outcomes)).toContain(false);
    } finally {
      await stalling.close();
    }
  });

  it('is broken off with a reset, because clients take another end for the end of the rows', async () => {
    const RESET = 56;
    const failing = 'rows?n=399999&failing=390000&format=csv&export=1';
    const tooLong = `rows?n=${MOST_ROWS + 1}&format=csv&export=1`;
    expect(await gateway.exitCodeOfCurl(failing)).toBe(RESET);
    expect(await gateway.exitCodeOfCurl(tooLong)).toBe(RESET);
    const stopping = await ExportingGateway.open({ SHUTDOWN_TIMEOUT_SECONDS: '0' });
    expect(await stopping.exitCodeOfCurl(tooLong, () => stopping.close())).toBe(RESET);
  });

  it('is broken off when ClickHouse is killed', async () => {
    await withTemporaryFolder(async (dataDir) => {
      const server = await EmbeddedServer.start({
        dataDir,
        database: 'default',
        grants: [],
        onCrash: () => undefined,
      });
      const killed = await ExportingGateway.open(variablesOf(server.readerConnection));
      try {
        for (const encoding of ENCODINGS) {
          const { pid } = server;
          const received = await killed.receive(`rows?n=${MOST_ROWS}&format=csv&export=1`, {
            headers: { 'Accept-Encoding': encoding },
            beforeBody: () => {
              process.kill(pid ?? 0, 'SIGKILL');
            },
          });
          expect([received.status, received.isComplete]).toEqual([200, false]);
          await pollUntil('ClickHouse runs again', async () => {
            if (server.pid === pid) return undefined;
            return (await killed.receive('few?n=1&export=1')).status === 200 || undefined;
          });
        }
      } finally {
        await killed.close();
        await server.stop();
      }
    });
  });

  it('cancels its query when the client leaves', async () => {
    const requestId = newId();
    await gateway.receive(`rows?n=${MOST_ROWS}&format=csv&export=1`, {
      headers: { 'X-Request-Id': requestId },
      beforeBody: (stop) => {
        stop();
      },
    });
    expect(await gateway.logged(requestId)).toMatchObject({ status: 499 });
    await pollUntil('the query has ended', () => hasEnded(requestId));
  });

  it('where the connection to ClickHouse is cut, is broken off, and ejects no server', async () => {
    await withCutConnections(3_000_000, async (url) => {
      const cut = await ExportingGateway.open({ CLICKHOUSE_URL: url });
      try {
        await expectBroken(
          'rows?n=300000&format=csv&export=1',
          { status: 502, code: 'CLICKHOUSE_ANSWER_BROKEN' },
          cut,
        );
        expect((await cut.receive('rows?n=3')).status).toBe(200);
      } finally {
        await cut.close();
      }
    });
  });

  it('is broken off when the gateway stops', async () => {
    const stopping = await ExportingGateway.open({ SHUTDOWN_TIMEOUT_SECONDS: '0' });
    const { isComplete } = await stopping.receive(`rows?n=${MOST_ROWS}&format=csv&export=1`, {
      beforeBody: () => stopping.close(),
    });
    expect(isComplete).toBe(false);
  });
});
