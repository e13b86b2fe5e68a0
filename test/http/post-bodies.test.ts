import fc from 'fast-check';

import { MAX_BODY_BYTES } from '../../src/gateway/http/call/json-body.js';
import { createHttpServer } from '../../src/gateway/http/transport/server.js';
import { readResponses, send, whileListening } from '../support/raw-exchange.js';
import { KINDS, KINDS_CALL } from '../support/sample-kinds.js';
import { createTestGateway, KEY, type ProblemDocument, type TestGateway } from '../support/test-gateway.js';

const HEAD = `POST ${KINDS_CALL} HTTP/1.1\r\nHost: gateway\r\nX-API-KEY: ${KEY}\r\nContent-Type: application/json\r\n`;

/** Runs a test's body with a listening gateway. */
async function withGateway(
  use: (port: number, gateway: TestGateway) => Promise<void>,
  limits: Parameters<typeof createHttpServer>[2] = {},
): Promise<void> {
  const gateway = await createTestGateway({ endpoints: [KINDS] });
  const server = createHttpServer(gateway.listener, gateway.logger, limits);
  await whileListening(server, (port) => use(port, gateway));
}

const postTo = (port: number, body: string | Uint8Array | ReadableStream): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${KINDS_CALL}`, {
    method: 'POST',
    headers: { 'X-API-KEY': KEY, 'Content-Type': 'application/json' },
    body,
    duplex: 'half',
  });

describe('a body without Content-Length', () => {
  it.each([
    [MAX_BODY_BYTES, 200],
    [MAX_BODY_BYTES + 1, 413],
  ])('of %i bytes returns %i', (length, status) =>
    withGateway(async (port) => {
      const body = new Blob([`{"other":"${'x'.repeat(length - 12)}"}`]).stream();
      expect((await postTo(port, body)).status).toBe(status);
    }),
  );
});

describe('a body that is still being sent', () => {
  it('returns 413 at once where its Content-Length is too large', () =>
    withGateway(async (port) => {
      const socket = send(port, `${HEAD}Content-Length: ${MAX_BODY_BYTES + 1}\r\nConnection: close\r\n\r\n{`);
      const [response] = await readResponses(socket);
      expect([response?.status, response?.headers['content-type']]).toEqual([
        413,
        'application/problem+json; charset=utf-8',
      ]);
    }));

  it('returns 408 at the timeout of the request, and runs no query', () =>
    withGateway(
      async (port, { runQuery, logger }) => {
        const [response] = await readResponses(send(port, `${HEAD}Content-Length: 20\r\n\r\n{"word":`));
        expect(response?.status).toBe(408);
        expect((JSON.parse(response?.body ?? '') as ProblemDocument).code).toBe('REQUEST_TIMEOUT');
        expect(runQuery.requests).toEqual([]);
        expect(logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
      },
      { headersTimeoutMs: 200, requestTimeoutMs: 200 },
    ));

  it('ends like that of a disconnected client when the client disconnects', () =>
    withGateway(async (port, { runQuery, logger }) => {
      const socket = send(port, `${HEAD}Content-Length: 20\r\nExpect: 100-continue\r\n\r\n{"word":`);
      // The server writes 100 Continue before the application sees the request.
      await new Promise((resolve) => socket.once('data', resolve));
      socket.destroy();
      const { fields } = await logger.line('request');
      expect(fields).toMatchObject({ status: 499, method: 'POST', endpoint: 'kinds' });
      expect(runQuery.requests).toEqual([]);
      expect(logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
    }));

  it('does not keep the next request on its connection from being served', () =>
    withGateway(async (port) => {
      const body = '{"word":[]}';
      const request = (text: string, more = ''): string =>
        `${HEAD}${more}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
      const unread = request('x'.repeat(1000), 'Content-Encoding: gzip\r\n');
      const last = request('{}', 'Connection: close\r\n');
      const responses = await readResponses(send(port, unread + request(body) + last));
      expect(responses.map(({ status }) => status)).toEqual([415, 400, 200]);
    }));
});

describe('any body', () => {
  it('returns a documented status below 500, and never breaks the server', async () => {
    const json = fc
      .dictionary(fc.constantFrom(...KINDS.parameters.keys(), 'format', '__proto__', 'a'), fc.jsonValue())
      .map((value) => JSON.stringify(value));
    const damaged = fc
      .tuple(
        json,
        fc.nat(),
        fc.constantFrom('', '"', '{', '[', ',', ':', '\\', '\0', '1e', '-', 'nul', '\ud800'),
      )
      .map(
        ([text, at, piece]) =>
          text.slice(0, at % (text.length + 1)) + piece + text.slice((at * 7) % (text.length + 1)),
      );
    const body = fc.oneof(json, damaged, fc.string({ unit: 'binary' }), fc.uint8Array({ maxLength: 60 }));
    await withGateway(async (port, { logger }) => {
      await fc.assert(
        fc.asyncProperty(body, async (sent) => {
          const response = await postTo(port, typeof sent === 'string' ? sent : new Uint8Array(sent));
          expect([200, 400]).toContain(response.status);
          const { code } = (await response.json()) as Partial<ProblemDocument>;
          const codes = response.status === 200 ? [undefined] : ['MALFORMED_BODY', 'INVALID_PARAMETERS'];
          expect(codes).toContain(code);
        }),
        { numRuns: 300 },
      );
      expect(logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
    });
  });

  it.each([
    ['open arrays', '['],
    ['open objects', '{"a":'],
    ['escaped quotes', '"\\"'],
    ['quotes', '"'],
    ['backslashes', '\\'],
    ['spaces', ' '],
    ['names', '"a" '],
    ['equal names', '"a":1,'],
    ['empty arrays', '[],'],
    ['digits', '1'],
    ['replacement characters', '\ufffd'],
  ])('of 256 KiB is rejected, not read for minutes: %s', (_what, piece) =>
    withGateway(async (port) => {
      for (const start of ['', '{', '{"a":"', '{"a":[']) {
        const text = start + piece.repeat((MAX_BODY_BYTES - 10) / Buffer.byteLength(piece));
        expect((await postTo(port, text)).status).toBe(400);
      }
    }),
  );
});
