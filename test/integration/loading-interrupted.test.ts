import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';

import { ClickHouseError, type ClickHouseClient } from '@clickhouse/client';

import { connectClickHouse } from '../../src/gateway/clickhouse/connect-clickhouse.js';
import { withClient } from '../../src/commands/clickhouse/with-client.js';
import { describeFailure } from '../../src/commands/loading/load-error.js';
import { loadFile } from '../../src/commands/loading/load-file.js';
import type { LoadReport } from '../../src/commands/loading/load-report.js';
import { createTestDatabase, type TestDatabase } from '../support/clickhouse.js';
import { withFakeClickHouse } from '../support/fake-clickhouse.js';

const NOW = new Date();

function load(client: ClickHouseClient, lines: readonly string[]): Promise<LoadReport> {
  return loadFile({
    client,
    table: 'realtime_logs',
    source: '-',
    stdin: Readable.from([Buffer.from(lines.join('\n'))]),
    shiftToNow: false,
    now: NOW,
  });
}

describe('loadFile when ClickHouse becomes unreachable', () => {
  let database: TestDatabase;
  let proxy: Server;
  let client: ClickHouseClient;

  beforeAll(async () => {
    database = await createTestDatabase();
    proxy = proxyThatCuts(database.connection.url, { insert: 2 });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    client = connectClickHouse(
      { ...database.connection, url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` },
      { maxOpenConnections: 4, requestTimeoutMs: 30_000 },
    );
  });

  afterAll(async () => {
    await client.close();
    proxy.close();
    await database.close();
  });

  it('reports how much was loaded and where to resume, and resuming there loads every line once', async () => {
    const lines = Array.from({ length: 45_000 }, (_, index) =>
      JSON.stringify({ timestamp: NOW.toISOString(), event_message: String(index) }),
    );
    await expect(load(client, lines)).rejects.toMatchObject({
      message:
        'ClickHouse is unreachable or closed the connection (socket hang up). 20000 lines were loaded; resume from line 20001. ' +
        'Rows of lines 20001 to 40000 may already have been written.',
    });
    await load(database.client, lines.slice(20_000));
    const result = await database.client.query({
      query:
        'SELECT toUInt32(count()) AS n, toUInt32(uniqExact(event_message)) AS different FROM realtime_logs',
      format: 'JSONEachRow',
    });
    expect(await result.json()).toEqual([{ n: 45_000, different: 45_000 }]);
  });
});

describe('a load', () => {
  it('meets no connection that the server has closed while it was idle', async () => {
    const used = new Set<unknown>();
    const respond: RequestListener = (request, response) => {
      request.resume();
      // Whether it is used again or not, a server may close it now.
      if (used.has(request.socket)) request.socket.resetAndDestroy();
      used.add(request.socket);
      response.end('{"n":1}\n');
    };
    await withFakeClickHouse(respond, async ({ url }) => {
      const connection = { url, username: 'default', password: '', database: 'logs' };
      await withClient(connection, 5000, async (client) => {
        for (let n = 0; n < 3; n += 1) {
          const result = await client.query({ query: 'SELECT 1 AS n', format: 'JSONEachRow' });
          expect(await result.json()).toEqual([{ n: 1 }]);
        }
      });
    });
    expect(used.size).toBe(3);
  });

  it('says that the disk is full', () => {
    const error = new ClickHouseError({ message: 'Cannot reserve 1.00 MiB', code: '243', type: 'ANY' });
    expect(describeFailure(error)).toBe(
      'ClickHouse: NOT_ENOUGH_SPACE (code 243); the disk of ClickHouse is full. Free some space first',
    );
  });
});

/** Forwards requests to ClickHouse, but closes the connection of one INSERT, counted from 1. */
function proxyThatCuts(target: string, cut: { insert: number }): Server {
  let inserts = 0;
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat((await request.toArray()) as Buffer[]).toString();
    if (body.startsWith('INSERT') && ++inserts === cut.insert) {
      request.socket.destroy();
      return;
    }
    const { authorization = '' } = request.headers;
    const reply = await fetch(target + (request.url ?? ''), {
      method: 'POST',
      headers: { authorization },
      body,
    });
    response.writeHead(reply.status).end(Buffer.from(await reply.arrayBuffer()));
  };
  return createServer((request, response) => {
    pass(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
}
