import type { RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

import { ClickHouseError, type ClickHouseClient } from '@clickhouse/client';

import { withClient } from '../../src/commands/clickhouse/with-client.js';
import { describeFailure } from '../../src/commands/loading/load-error.js';
import { loadFile } from '../../src/commands/loading/load-file.js';
import type { LoadReport } from '../../src/commands/loading/load-report.js';
import { useTestDatabase, type TestDatabase } from '../support/clickhouse.js';
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
  const database = useTestDatabase();

  it('reports how much was loaded and where to resume, and resuming there loads every line once', async () => {
    const lines = Array.from({ length: 45_000 }, (_, index) =>
      JSON.stringify({ timestamp: NOW.toISOString(), event_message: String(index) }),
    );
    await withFakeClickHouse(cutsInsert(2, database), async ({ client }) => {
      await expect(load(client, lines)).rejects.toMatchObject({
        message:
          'ClickHouse is unreachable or closed the connection (socket hang up). 20000 lines were loaded; resume from line 20001. ' +
          'Rows of lines 20001 to 40000 may already have been written.',
      });
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

/** Forwards requests to the database, but closes the connection of one INSERT, counted from 1. */
function cutsInsert(cut: number, { name, connection }: TestDatabase): RequestListener {
  const { url, username, password } = connection;
  const headers = { 'X-ClickHouse-User': username, 'X-ClickHouse-Key': password };
  let inserts = 0;
  return (request, response) => {
    const pass = async (): Promise<void> => {
      const body = await text(request);
      if (body.startsWith('INSERT') && ++inserts === cut) {
        request.socket.destroy();
        return;
      }
      const target = new URL(request.url ?? '', url);
      target.searchParams.set('database', name);
      const reply = await fetch(target, { method: 'POST', headers, body });
      response.writeHead(reply.status).end(Buffer.from(await reply.arrayBuffer()));
    };
    pass().catch((error: unknown) => response.destroy(error as Error));
  };
}
