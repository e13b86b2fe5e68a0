import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

import { connectionsOf } from '../../src/gateway/http/transport/connections.js';
import { createHttpServer, type ServerLimits } from '../../src/gateway/http/transport/server.js';
import { pollUntil } from '../support/poll-until.js';
import { exchange, readResponses, send, whileListening } from '../support/raw-exchange.js';
import { createTestGateway, GOOD_CALL, KEY } from '../support/test-gateway.js';

const { listener, logger } = await createTestGateway();
const newServer = (limits: Partial<ServerLimits>): Server => createHttpServer(listener, logger, limits);

const withKey = `GET ${GOOD_CALL} HTTP/1.1\r\nHost: gateway\r\nX-API-KEY: ${KEY}\r\n`;
const withoutKey = 'GET /api/endpoints HTTP/1.1\r\nHost: gateway\r\n';
/** A request with incomplete headers. */
const halfSent = 'GET / HTTP/1.1\r\nHost: gateway\r\n';

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

describe('incomplete requests', () => {
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
      expect(connectionsOf(server).closed).toBe(1);
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
      expect(connectionsOf(server).closed).toBe(1);
      expect(connectionsOf(server).open.size).toBe(2);
      for (const socket of callers) socket.destroy();
    });
  });
});
