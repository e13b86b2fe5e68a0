import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';

import { connectionsOf, noteAuthenticated } from '../../src/gateway/http/transport/connections.js';
import { createHttpServer } from '../../src/gateway/http/transport/server.js';
import { pollUntil } from '../support/poll-until.js';
import { exchange, readResponses, send, whileListening } from '../support/raw-exchange.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { createTestGateway, GOOD_CALL, KEY } from '../support/test-gateway.js';

const logger = new RecordingLogger();
const serverWith = (listener: RequestListener): Server => createHttpServer(listener, logger);
const requestOf = (target: string, headers = ''): string =>
  `GET ${target} HTTP/1.1\r\nHost: gateway\r\n${headers}\r\n`;
const LAST = requestOf('/last', 'Connection: close\r\n');

/** Responds with the request's target, after a turn of the event loop. */
const echo = ({ url }: IncomingMessage, response: ServerResponse): void =>
  void setImmediate(() => response.setHeader('Content-Length', String(url?.length)).end(url));

/** A listener that counts the requests of each connection that it works on at a time. */
function countingActive(handle: RequestListener): { readonly listener: RequestListener; most: number } {
  const active = new Map<Socket, number>();
  const counting = {
    most: 0,
    listener: (request: IncomingMessage, response: ServerResponse): void => {
      const { socket } = request;
      const now = (active.get(socket) ?? 0) + 1;
      active.set(socket, now);
      counting.most = Math.max(counting.most, now);
      response.once('close', () => active.set(socket, (active.get(socket) ?? 0) - 1));
      handle(request, response);
    },
  };
  return counting;
}

/** Sends a request, and awaits its response, so many times. */
async function sendOneAtATime(port: number, times: number): Promise<Socket> {
  const socket = send(port, '');
  for (let sent = 0; sent < times; sent += 1) {
    socket.write(requestOf('/alone'));
    await once(socket, 'readable');
    socket.read();
  }
  return socket;
}

const GOOD_BODY = '{"project":"a","interval":"minutely"}';
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
}

const targets = Array.from({ length: 300 }, (_, n) => `/${n}`);

describe('pipelined requests', () => {
  it('of a connection are handled one at a time, and their responses are in order', async () => {
    const counting = countingActive(echo);
    await whileListening(serverWith(counting.listener), async (port) => {
      const responses = await exchange(port, targets.map((target) => requestOf(target)).join('') + LAST);
      expect(responses.map(({ body }) => body)).toEqual([...targets, '/last']);
      expect(counting.most).toBe(1);
    });
  });

  it('of callers who sent a key and one request at a time before are handled so too', async () => {
    const counting = countingActive((request, response) => {
      noteAuthenticated(request.socket);
      echo(request, response);
    });
    await whileListening(serverWith(counting.listener), async (port) => {
      const sockets = [await sendOneAtATime(port, 3), await sendOneAtATime(port, 3)];
      for (const socket of sockets) socket.write(targets.map((target) => requestOf(target)).join('') + LAST);
      for (const socket of sockets) {
        expect((await readResponses(socket)).map(({ body }) => body)).toEqual([...targets, '/last']);
      }
      expect(counting.most).toBe(1);
    });
  });

  it('on many connections do not delay a request of another one until they are through', async () => {
    const handled: (string | undefined)[] = [];
    const server = serverWith(({ url }, response) => {
      // Sent when the first of the others has arrived.
      if (url === '/') onFirst();
      handled.push(url);
      response.end();
    });
    let onFirst = (): void => undefined;
    await whileListening(server, async (port) => {
      const other = await sendOneAtATime(port, 1);
      onFirst = () => {
        onFirst = () => undefined;
        other.write(requestOf('/other'));
      };
      const sockets = Array.from({ length: 5 }, () => send(port, requestOf('/').repeat(1500)).resume());
      await pollUntil('all are handled', () => handled.length === 2 + 5 * 1500 || undefined);
      expect(handled.indexOf('/other')).toBeLessThan(500);
      for (const socket of [other, ...sockets]) socket.destroy();
    });
  });

  it('beyond a few are left in the network until those before have responses', async () => {
    const bytesRead: number[] = [];
    let firstTurns: Promise<void> | undefined;
    const server = serverWith(({ socket }, response) => {
      // As many turns of the event loop as would read all of them.
      firstTurns ??= turns(300);
      void firstTurns.then(() => {
        bytesRead.push(socket.bytesRead);
        response.end();
      });
    });
    await whileListening(server, async (port) => {
      const request = requestOf('/', `X: ${'x'.repeat(4000)}\r\n`);
      const socket = send(port, request.repeat(2000)).resume();
      await pollUntil('all are handled', () => bytesRead.length === 2000 || undefined);
      expect(bytesRead[0]).toBeLessThan(256 * 1024);
      socket.destroy();
    });
  });

  it('are not handled once the client has disconnected, and the one in work is cancelled', async () => {
    const responses: ServerResponse[] = [];
    const server = serverWith((_request, response) => void responses.push(response));
    await whileListening(server, async (port) => {
      const socket = send(port, requestOf('/').repeat(50));
      await pollUntil('the first is handled', () => responses.length > 0 || undefined);
      const [first] = responses;
      const closed = first && once(first, 'close');
      socket.destroy();
      await closed;
      await pollUntil('the connection is closed', () => connectionsOf(server).open.size === 0 || undefined);
      expect(first?.writableFinished).toBe(false);
      expect(responses.length).toBe(1);
    });
  });

  it('may have bodies, in any framing and any chunks', async () => {
    const server = serverWith(
      (request, response) =>
        void text(request).then((body) => {
          const length = String(Buffer.byteLength(body));
          setImmediate(() => response.setHeader('Content-Length', length).end(body));
        }),
    );
    const body = fc.string({ unit: fc.constantFrom('a', '\r', '\n', '0'), maxLength: 600 });
    const requests = fc.array(fc.tuple(body, fc.boolean()), { minLength: 1, maxLength: 12 });
    await whileListening(server, async (port) => {
      await fc.assert(
        fc.asyncProperty(requests, fc.integer({ min: 1, max: 999 }), async (sent, cut) => {
          const bytes = sent.map(([each, chunked]) => (chunked ? chunkedOf(each) : lengthOf(each))).join('');
          const socket = send(port, bytes.slice(0, cut));
          socket.write(bytes.slice(cut) + LAST);
          const received = (await readResponses(socket)).map((response) => response.body);
          expect(received).toEqual([...sent.map(([each]) => each), '']);
        }),
        { numRuns: 100 },
      );
    });
  });

  it('of every kind have the responses that they have alone', async () => {
    const { listener } = await createTestGateway();
    const key = `X-API-KEY: ${KEY}\r\n`;
    const post = 'POST /api/endpoints/query/usage.api-counts HTTP/1.1\r\nHost: gateway\r\n';
    const json = `${post}${key}Content-Type: application/json\r\n`;
    const requests: readonly (readonly [string, number])[] = [
      [requestOf(GOOD_CALL, key), 200],
      [requestOf('/health/live'), 200],
      [requestOf(GOOD_CALL), 401],
      [`${json}Content-Length: ${GOOD_BODY.length}\r\n\r\n${GOOD_BODY}`, 200],
      [`${json}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`, 400],
      [`${post}Content-Length: 3\r\n\r\nabc`, 401],
      [requestOf('/nothing'), 404],
      [requestOf(GOOD_CALL, key), 200],
    ];
    await whileListening(createHttpServer(listener, logger), async (port) => {
      const bytes = requests.map(([request]) => request).join('');
      const responses = await exchange(port, bytes + LAST);
      const statuses = responses.map(({ status }) => status).filter((status) => status !== 100);
      expect(statuses).toEqual([...requests.map(([, status]) => status), 404]);
    });
  });

  it('that are malformed receive 400 after the responses before them', async () => {
    await whileListening(serverWith(echo), async (port) => {
      const responses = await exchange(port, `${requestOf('/first')}${requestOf('/second')}garbage\r\n\r\n`);
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 400]);
    });
  });

  it('receive 400 at once for a malformed body, although the request is in work', async () => {
    const server = serverWith((request, response) => {
      request.on('error', () => undefined);
      request.resume().once('end', () => response.end());
    });
    await whileListening(server, async (port) => {
      const bytes = `${POST}Transfer-Encoding: chunked\r\n\r\ngarbage\r\n`;
      expect((await exchange(port, bytes)).map(({ status }) => status)).toEqual([400]);
    });
  });

  it('are not handled after a response that closes the connection', async () => {
    let handled = 0;
    const server = serverWith((_request, response) => {
      handled += 1;
      response.setHeader('Connection', 'close').end();
    });
    await whileListening(server, async (port) => {
      expect(await exchange(port, requestOf('/').repeat(20))).toHaveLength(1);
      expect(handled).toBe(1);
    });
  });
});

const POST = 'POST / HTTP/1.1\r\nHost: gateway\r\n';

function lengthOf(body: string): string {
  return `${POST}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

function chunkedOf(body: string): string {
  const chunk = body === '' ? '' : `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`;
  return `${POST}Transfer-Encoding: chunked\r\n\r\n${chunk}0\r\n\r\n`;
}
