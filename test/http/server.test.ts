import { once } from 'node:events';
import type { Server } from 'node:http';
import { PassThrough } from 'node:stream';

import { createHttpServer } from '../../src/gateway/http/transport/server.js';
import { pollUntil } from '../support/poll-until.js';
import { readResponses, exchange, send, whileListening, type RawResponse } from '../support/raw-exchange.js';
import { createTestGateway, GOOD_CALL, KEY, type ProblemDocument } from '../support/test-gateway.js';

const { listener, logger, runQuery } = await createTestGateway();
runQuery.returnRows([{ total: 1 }]);
const newServer = (): Server => createHttpServer(listener, logger);
const headers = `Host: gateway\r\nX-API-KEY: ${KEY}\r\n`;

const problemIn = (response: RawResponse | undefined): ProblemDocument => {
  expect(response?.headers['content-type']).toBe('application/problem+json; charset=utf-8');
  const problem = JSON.parse(response?.body ?? '') as ProblemDocument;
  expect(problem.status).toBe(response?.status);
  expect(problem.requestId).toBe(response?.headers['x-request-id']);
  return problem;
};

const connectionsOf = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.getConnections((_error, count) => {
      resolve(count);
    });
  });

describe('the server', () => {
  it.each([
    ['garbage', 'garbage\r\n\r\n'],
    ['bytes that are not text', Buffer.from([0, 255, 1, 254, 13, 10, 13, 10])],
    ['a TLS handshake', Buffer.from([0x16, 3, 1, 0, 0xa5, 1, 0, 0, 0xa1, 3, 3])],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a space in the path', `GET /a b HTTP/1.1\r\n${headers}\r\n`],
    ['a header without a colon', `GET / HTTP/1.1\r\n${headers}garbage\r\n\r\n`],
    ['a null byte in a header', `GET / HTTP/1.1\r\n${headers}X: a\0b\r\n\r\n`],
    ['two lengths', `POST / HTTP/1.1\r\n${headers}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx`],
    [
      'Content-Length together with chunks',
      `POST / HTTP/1.1\r\n${headers}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['no Host', `GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n`],
    ['an empty Host', `GET /health/live HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n`],
    ['two Hosts', `GET /health/live HTTP/1.1\r\n${headers}host: gateway\r\nConnection: close\r\n\r\n`],
    ['a malformed Host of HTTP/1.0', `GET /health/live HTTP/1.0\r\nHost: a/b\r\n\r\n`],
  ])('returns a problem document, 400, for %s', async (_what, bytes) => {
    await whileListening(newServer(), async (port) => {
      const [response] = await exchange(port, bytes);
      expect(problemIn(response)).toMatchObject({ status: 400, code: 'BAD_REQUEST', problems: [] });
    });
  });

  it.each([
    ['URL', `GET ${GOOD_CALL}&a=${'x'.repeat(64 * 1024)} HTTP/1.1\r\n${headers}\r\n`],
    ['header', `GET ${GOOD_CALL} HTTP/1.1\r\n${headers}Cookie: ${'x'.repeat(64 * 1024)}\r\n\r\n`],
  ])(
    'returns 431, which names POST, where URL and headers have over 64 KiB: a long %s',
    async (_what, bytes) => {
      await whileListening(newServer(), async (port) => {
        const problem = problemIn((await exchange(port, bytes))[0]);
        expect(problem).toMatchObject({ status: 431, code: 'HEADERS_TOO_LARGE' });
        expect(problem.detail).toContain('body of a POST');
      });
    },
  );

  it('accepts a query string of 60 kB', async () => {
    await whileListening(newServer(), async (port) => {
      const names = Array.from({ length: 4 }, (_, n) => `unknown_${n}`);
      const query = names.map((name) => `${name}=${'%41'.repeat(5000)}`).join('&');
      const request = `GET ${GOOD_CALL}&${query} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`;
      expect((await exchange(port, request)).map(({ status }) => status)).toEqual([200]);
    });
  });

  it.each([
    'Accept',
    'Accept-Encoding',
    'Cache-Control',
    'If-Match',
    'If-None-Match',
    'Prefer',
    'X-Forwarded-For',
  ])('returns 431 naming %s where it has over 4,096 bytes', async (name) => {
    await whileListening(newServer(), async (port) => {
      const long = `${name}: ${'x'.repeat(4097)}\r\nConnection: close\r\n`;
      const [response] = await exchange(port, `GET ${GOOD_CALL} HTTP/1.1\r\n${headers}${long}\r\n`);
      const problem = problemIn(response);
      expect(problem).toMatchObject({ status: 431, code: 'HEADERS_TOO_LARGE' });
      expect(problem.detail).toContain(`The header ${name.toLowerCase()} has more than 4096 bytes`);
    });
  });

  it('repeats nothing of a malformed request', async () => {
    await whileListening(newServer(), async (port) => {
      const [response] = await exchange(port, 'GET /?key=secret HTTP/9.9\r\nX-API-KEY: secret\r\n\r\n');
      expect(JSON.stringify(response)).not.toContain('secret');
      expect(JSON.stringify(logger.lines)).not.toContain('secret');
    });
  });

  it('responds to consecutive requests on one connection', async () => {
    await whileListening(newServer(), async (port) => {
      const request = `GET ${GOOD_CALL} HTTP/1.1\r\n${headers}`;
      const responses = await exchange(
        port,
        `${request}\r\n${request}\r\n${request}Connection: close\r\n\r\n`,
      );
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(new Set(responses.map((response) => response.headers['x-request-id'])).size).toBe(3);
      expect(responses[0]?.headers['connection']).toBe('keep-alive');
      expect(responses[2]?.headers['connection']).toBe('close');
    });
  });

  it('responds to a valid request, and then to the garbage after it', async () => {
    await whileListening(newServer(), async (port) => {
      const socket = send(port, `GET ${GOOD_CALL} HTTP/1.1\r\n${headers}\r\n`);
      await once(socket, 'readable');
      socket.write('garbage\r\n\r\n');
      expect((await readResponses(socket)).map(({ status }) => status)).toEqual([200, 400]);
    });
  });

  it('responds to HTTP/1.0 and to an unknown expectation', async () => {
    await whileListening(newServer(), async (port) => {
      const [old] = await exchange(port, `GET ${GOOD_CALL} HTTP/1.0\r\nX-API-KEY: ${KEY}\r\n\r\n`);
      expect(old?.status).toBe(200);
      const request = `GET ${GOOD_CALL} HTTP/1.1\r\n${headers}Connection: close\r\nExpect: more\r\n\r\n`;
      const [expecting] = await exchange(port, request);
      expect(expecting?.status).toBe(200);
    });
  });

  it('sends no body for HEAD, not even with a failure', async () => {
    await whileListening(newServer(), async (port) => {
      for (const path of [GOOD_CALL, '/nothing']) {
        const [response] = await exchange(
          port,
          `HEAD ${path} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`,
        );
        expect(response?.headers['content-type']).toContain('json');
        expect(response?.body).toBe('');
      }
    });
  });

  it('returns a problem document, 408, for a request that is not complete in time', async () => {
    const socket = new PassThrough();
    const error = Object.assign(new Error('too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    newServer().emit('clientError', error, socket);
    const written = (await socket.toArray()).join('');
    expect(written).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(written).toContain('"code":"REQUEST_TIMEOUT"');
  });

  it.each([
    ['no Host', ''],
    ['two Hosts', 'Host: gateway\r\nHOST: gateway\r\n'],
    ['a malformed Host', 'Host: gateway/path\r\n'],
  ])('rejects a request with %s even if the result is in the local cache', async (_what, host) => {
    await whileListening(newServer(), async (port) => {
      const request = `GET ${GOOD_CALL} HTTP/1.1\r\nX-API-KEY: ${KEY}\r\nConnection: close\r\n`;
      const [known] = await exchange(port, `${request}Host: gateway\r\n\r\n`);
      const [rejected] = await exchange(port, `${request}${host}\r\n`);
      expect([known?.status, rejected?.status]).toEqual([200, 400]);
    });
  });

  it('closes the connection of a client that sent garbage and does not close it', async () => {
    const server = newServer();
    await whileListening(server, async (port) => {
      const socket = send(port, 'garbage\r\n\r\n');
      await once(socket, 'readable');
      await pollUntil('no connection is open', async () => (await connectionsOf(server)) === 0 || undefined);
      socket.destroy();
    });
  });
});
