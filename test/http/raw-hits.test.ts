import { once } from 'node:events';
import type { Socket } from 'node:net';

import { connectionsOf, responding } from '../../src/gateway/http/transport/connections.js';
import { drain } from '../../src/gateway/http/transport/drain.js';
import { resultOf } from '../support/fake-run-query.js';
import { pollUntil } from '../support/poll-until.js';
import { RawClient } from '../support/raw-gateway.js';
import { GET, getOf, withRawHits } from '../support/with-raw-hits.js';

/** The server's side of a connection, once the server has noticed that the client has read the response. */
async function idle({ accepted }: RawClient): Promise<Socket> {
  const socket = await accepted;
  return pollUntil('the response is complete', () => (responding(socket) ? undefined : socket));
}

describe('a raw hit', () => {
  it('is the second one of a connection, by which Node has started its timers, and each after it', async () => {
    await withRawHits(async (gateway) => {
      const client = new RawClient(gateway);
      const first = await client.ask(GET);
      expect(gateway.raw).toBe(0);
      for (const raw of [1, 2, 3]) {
        const { status, body } = await client.ask(GET);
        expect([status, body, gateway.raw]).toEqual([200, first.body, raw]);
      }
    });
  });

  it('does not happen where RAW_HITS is off', async () => {
    await withRawHits(
      async (gateway) => {
        const client = new RawClient(gateway);
        for (let sent = 0; sent < 4; sent += 1) expect((await client.ask(GET)).status).toBe(200);
        expect(gateway.raw).toBe(0);
      },
      { rawHits: false },
    );
  });

  it('leaves the connection open for as long as the server says, no longer, and has the date of its second', async () => {
    await withRawHits(async (gateway) => {
      gateway.server.keepAliveTimeout = 1000;
      const client = new RawClient(gateway);
      await client.ask(GET);
      const closed = once(client.socket.resume(), 'close');
      client.socket.pause();
      const { headers } = await client.ask(GET);
      const at = performance.now();
      expect([headers['keep-alive'], gateway.raw]).toEqual(['timeout=1', 1]);
      client.socket.resume().once('end', () => client.socket.end());
      await closed;
      expect(performance.now() - at).toBeGreaterThan(900);
      const next = new RawClient(gateway);
      await next.ask(GET);
      const { headers: later } = await next.ask(GET);
      expect(Date.parse(later['date'] ?? '')).toBeGreaterThan(Date.parse(headers['date'] ?? ''));
      expect(gateway.raw).toBe(2);
    });
  });

  it('is not late for the timeouts of requests, which count for the next one that is incomplete', async () => {
    await withRawHits(
      async (gateway) => {
        const post = GET.replace('GET', 'POST').replace(
          '\r\n\r\n',
          '\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
        );
        for (const incomplete of [GET.slice(0, -2), post]) {
          const client = new RawClient(gateway);
          await client.ask(GET);
          const before = gateway.raw;
          let asked = 0;
          for (const until = performance.now() + 300; performance.now() < until; asked += 1)
            await client.ask(GET);
          expect(gateway.raw).toBe(before + asked);
          expect((await client.ask(incomplete)).status).toBe(408);
        }
      },
      { limits: { headersTimeoutMs: 100, requestTimeoutMs: 100 } },
    );
  });

  it('leaves the connection idle, so that the server closes it with itself', async () => {
    await withRawHits(async (gateway) => {
      const client = new RawClient(gateway);
      for (let sent = 0; sent < 2; sent += 1) await client.ask(GET);
      const busy = new RawClient(gateway);
      for (let sent = 0; sent < 2; sent += 1) await busy.ask(GET);
      const { bytesRead } = await idle(busy);
      busy.socket.write(GET.slice(0, -2));
      const isRead = async (): Promise<true | undefined> =>
        (await busy.accepted).bytesRead > bytesRead || undefined;
      await pollUntil('half a head is read', isRead);
      const closed = once(gateway.server.close(), 'close');
      await expect(client.next()).rejects.toThrow('the connection is closed');
      expect(gateway.raw).toBe(2);
      for (const rest of ['\r\n', GET])
        expect([(await busy.ask(rest)).status, gateway.raw]).toEqual([200, 2]);
      busy.socket.destroy();
      await closed;
    });
  });

  it('does not happen while the server drains: the response says that it is the last one', async () => {
    await withRawHits(async (gateway) => {
      const client = new RawClient(gateway);
      for (let sent = 0; sent < 2; sent += 1) await client.ask(GET);
      const drained = drain(gateway.server, 20_000);
      const { headers } = await client.ask(GET);
      expect([headers['connection'], gateway.raw]).toEqual(['close', 1]);
      client.socket.end();
      await drained;
    });
  });

  it('that the client reads slowly is complete, and the next request waits until it is read', async () => {
    await withRawHits(
      async (gateway) => {
        const client = new RawClient(gateway);
        const { body } = await client.ask(GET);
        const socket = await idle(client);
        const before = [socket.timeout, socket.listenerCount('timeout'), socket.isPaused()];
        client.socket.write(GET);
        await pollUntil('bytes wait', () => (socket.writableLength > 0 ? true : undefined));
        expect([socket.timeout, socket.isPaused()]).toEqual([60_000, true]);
        client.socket.write(GET);
        expect(gateway.raw).toBe(1);
        const responses = [await client.next(), await client.next()];
        expect(responses.map((response) => response.body === body)).toEqual([true, true]);
        expect((await client.ask(GET)).status).toBe(200);
        expect([socket.timeout, socket.listenerCount('timeout'), socket.isPaused()]).toEqual(before);
        expect(before[0]).toBeGreaterThan(0);
      },
      { rows: 9000 },
    );
  });

  it('keeps its bytes until they are read, whatever other connections are sent', async () => {
    await withRawHits(
      async (gateway) => {
        const slow = new RawClient(gateway);
        const { body } = await slow.ask(GET);
        const socket = await idle(slow);
        let sent = 0;
        for (; socket.writableLength === 0; sent += 1) {
          slow.socket.write(GET);
          await pollUntil('a raw hit', () => gateway.raw > sent || undefined);
        }
        gateway.runQuery.returnRows(Array.from({ length: 60 }, () => ({ text: 'y'.repeat(1000) })));
        const [other, oslo] = [new RawClient(gateway), GET.replace('Rome', 'Oslo')];
        for (let asked = 0; asked < 3; asked += 1)
          expect((await other.ask(oslo)).body === body.replaceAll(/x{9,}/g, 'y'.repeat(1000))).toBe(true);
        expect(gateway.raw).toBe(sent + 2);
        for (; sent > 0; sent -= 1) expect((await slow.next()).body === body).toBe(true);
      },
      { rows: 60 },
    );
  });

  it('that the client does not read is broken off by a reset, also by the end of a drain', async () => {
    await withRawHits(
      async (gateway) => {
        for (const end of ['timeout', 'drain']) {
          const client = new RawClient(gateway);
          await client.ask(GET);
          const socket = await idle(client);
          client.socket.write(GET);
          await pollUntil('bytes wait', () => (socket.writableLength > 0 ? true : undefined));
          expect(socket.timeout).toBe(60_000);
          let resets = 0;
          socket.resetAndDestroy = () => {
            resets += 1;
            return socket.destroy();
          };
          if (end === 'timeout') socket.emit('timeout');
          else await drain(gateway.server, 1500);
          expect([resets, socket.destroyed]).toEqual([1, true]);
          await expect(client.next()).rejects.toThrow('the connection is closed');
        }
        expect(connectionsOf(gateway.server).open.size).toBe(0);
      },
      { rows: 9000 },
    );
  });

  it('waits for the response before it on its connection', async () => {
    await withRawHits(async (gateway) => {
      const client = new RawClient(gateway);
      const { body } = await client.ask(GET);
      const { bytesRead } = await idle(client);
      const socket = await client.accepted;
      const miss = GET.replace('Rome', 'Oslo');
      let respond: () => void = () => undefined;
      gateway.runQuery.respondWith(async () => {
        await new Promise<void>((resolve) => (respond = resolve));
        return resultOf([]);
      });
      client.socket.write(miss);
      const isRead = (bytes: number) => () => socket.bytesRead === bytesRead + bytes || undefined;
      await pollUntil('the miss is read', isRead(miss.length));
      client.socket.write(GET);
      await pollUntil('the hit is read', isRead(miss.length + GET.length));
      respond();
      expect([(await client.next()).body, (await client.next()).body]).toEqual(['{"result":[]}', body]);
      expect(gateway.raw).toBe(0);
    });
  });

  it('is an authenticated request, so that a connection over the limit does not close that of the hit', async () => {
    await withRawHits(
      async (gateway) => {
        const caller = new RawClient(gateway);
        expect((await caller.ask(getOf('qg_unknown'))).status).toBe(401);
        const peer = new RawClient(gateway);
        expect((await peer.ask(getOf('qg_unknown'))).status).toBe(401);
        await idle(caller);
        expect([(await caller.ask(GET)).status, gateway.raw]).toEqual([200, 1]);
        expect((await new RawClient(gateway).ask(GET)).status).toBe(200);
        await expect(peer.next()).rejects.toThrow('the connection is closed');
        expect([(await caller.ask(GET)).status, gateway.raw]).toEqual([200, 2]);
      },
      { limits: { maxConnections: 2 } },
    );
  });

  it('does not happen on a connection whose heads are never equal', async () => {
    await withRawHits(async (gateway) => {
      const client = new RawClient(gateway);
      for (let sent = 0; sent < 20; sent += 1) await client.ask(getOf('qg_plain', `X-Own: ${sent}\r\n`));
      for (let sent = 0; sent < 3; sent += 1) expect((await client.ask(GET)).status).toBe(200);
      expect(gateway.raw).toBe(0);
    });
  });
});
