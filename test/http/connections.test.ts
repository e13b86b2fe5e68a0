import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { connectionsOf } from '../../src/gateway/http/transport/connections.js';
import { createHttpServer, type ServerLimits } from '../../src/gateway/http/transport/server.js';
import { pollUntil } from '../support/poll-until.js';
import { readResponses, exchange, send, whileListening } from '../support/raw-exchange.js';
import { createTestGateway, GOOD_CALL, KEY } from '../support/test-gateway.js';

const { listener, logger } = await createTestGateway();
const newServer = (limits: Partial<ServerLimits>): Server => createHttpServer(listener, logger, limits);

const MB = 1024 * 1024;
const LARGE = 'x'.repeat(400_000);
const withKey = `GET ${GOOD_CALL} HTTP/1.1\r\nHost: gateway\r\nX-API-KEY: ${KEY}\r\n`;
const withoutKey = 'GET /api/endpoints HTTP/1.1\r\nHost: gateway\r\n';
/** A request with incomplete headers. */
const halfSent = `GET /?${LARGE} HTTP/1.1\r\nHost: gateway\r\n`;

/** Connects; the test ignores socket errors. */
function peer(port: number, bytes: string): Socket {
  return send(port, bytes).on('error', () => undefined);
}

/** Returns a connection on which a request has received its response. */
async function connectAndAwaitResponse(port: number, bytes: string): Promise<Socket> {
  const socket = peer(port, bytes);
  await once(socket, 'readable');
  return socket;
}

const bufferedBytes = (server: Server): number =>
  [...connectionsOf(server).open].reduce((sum, { bytesRead }) => sum + bytesRead, 0);

describe('incomplete requests without a key', () => {
  it('buffer no more bytes in total than the limit, and do not block a client with a key', async () => {
    const server = newServer({ maxUnauthenticatedBytes: 4 * MB });
    await whileListening(server, async (port) => {
      const peers = Array.from({ length: 60 }, () => peer(port, halfSent));
      const { open, closed } = connectionsOf(server);
      const isBounded = (): boolean => closed.bytes >= 50 && bufferedBytes(server) <= 4 * MB;
      await pollUntil('the other connections are closed', () => isBounded() || undefined);
      expect(open.size).toBeGreaterThan(0);
      const [response] = await exchange(port, `${withKey}Connection: close\r\n\r\n`);
      expect(response?.status).toBe(200);
      for (const socket of peers) socket.destroy();
    });
  });

  it('count towards the limit after a completed request on the same connection', async () => {
    const responses: ServerResponse[] = [];
    const keepPending = (_request: IncomingMessage, response: ServerResponse): void =>
      void responses.push(response);
    const server = createHttpServer(keepPending, logger, { maxUnauthenticatedBytes: MB });
    await whileListening(server, async (port) => {
      const { closed } = connectionsOf(server);
      const bytes = `${withoutKey}\r\n${halfSent}`;
      const peers = [peer(port, bytes), peer(port, bytes)];
      const haveSent = (): boolean => responses.length === 2 && bufferedBytes(server) === 2 * bytes.length;
      await pollUntil('both are read', () => haveSent() || undefined);
      const ends = responses.map((response) => once(response, 'close'));
      for (const response of responses) response.end();
      await Promise.all(ends);
      peers.push(peer(port, halfSent));
      await pollUntil('the oldest is closed', () => closed.bytes === 1 || undefined);
      for (const socket of peers) socket.destroy();
    });
  });

  it('do not close a connection that sent a valid key, whatever else it sends', async () => {
    const server = newServer({ maxUnauthenticatedBytes: MB });
    await whileListening(server, async (port) => {
      const mine = await connectAndAwaitResponse(port, `${withKey}\r\n`);
      mine.write(`GET ${GOOD_CALL}&unknown=${LARGE} HTTP/1.1\r\nHost: gateway\r\nX-API-KEY: ${KEY}\r\n`);
      const peers = Array.from({ length: 20 }, () => peer(port, halfSent));
      await pollUntil('others are closed', () => connectionsOf(server).closed.bytes >= 10 || undefined);
      mine.write('Connection: close\r\n\r\n');
      expect((await readResponses(mine)).map(({ status }) => status)).toEqual([200, 200]);
      for (const socket of peers) socket.destroy();
    });
  });

  it('receive 408 and are closed when the headers timeout expires', async () => {
    await whileListening(newServer({ headersTimeoutMs: 50 }), async (port) => {
      const slow = [peer(port, halfSent), peer(port, 'GET / HT'), peer(port, '')];
      const responses = await Promise.all(slow.map(readResponses));
      expect(responses.map(([response]) => response?.status)).toEqual([408, 408, 408]);
    });
  });
});

describe('connections', () => {
  it('over the limit close the oldest connection without a key', async () => {
    const server = newServer({ maxConnections: 3 });
    await whileListening(server, async (port) => {
      const mine = await connectAndAwaitResponse(port, `${withKey}\r\n`);
      const oldest = await connectAndAwaitResponse(port, `${withoutKey}\r\n`);
      const newer = await connectAndAwaitResponse(port, `${withoutKey}\r\n`);
      const [response] = await exchange(port, `${withKey}Connection: close\r\n\r\n`);
      expect(response?.status).toBe(200);
      await pollUntil('the oldest is closed', () => connectionsOf(server).open.size === 2 || undefined);
      expect(connectionsOf(server).closed.connections).toBe(1);
      expect((await readResponses(oldest)).map(({ status }) => status)).toEqual([401]);
      for (const socket of [mine, newer]) {
        socket.end(`${withKey}Connection: close\r\n\r\n`);
        expect((await readResponses(socket)).map(({ status }) => status).at(-1)).toBe(200);
      }
    });
  });

  it('over the limit are closed if all other connections sent a valid key', async () => {
    const server = newServer({ maxConnections: 2 });
    await whileListening(server, async (port) => {
      const callers = [
        await connectAndAwaitResponse(port, `${withKey}\r\n`),
        await connectAndAwaitResponse(port, `${withKey}\r\n`),
      ];
      const late = peer(port, `${withKey}\r\n`);
      expect(await readResponses(late).catch(() => [])).toEqual([]);
      expect(connectionsOf(server).closed.connections).toBe(1);
      expect(connectionsOf(server).open.size).toBe(2);
      for (const socket of callers) socket.destroy();
    });
  });
});
