import fc from 'fast-check';

import { createHttpServer } from '../../src/gateway/http/transport/server.js';
import { exchange, whileListening } from '../support/raw-exchange.js';
import { createTestGateway, KEY, type ProblemDocument } from '../support/test-gateway.js';

const { listener, logger } = await createTestGateway();

/** Any byte except those that end a request line or its target. */
const rawByte = fc.integer({ min: 0, max: 255 }).filter((byte) => ![0x0a, 0x0d, 0x20].includes(byte));
const raw = fc.array(rawByte, { maxLength: 30 }).map((bytes) => Buffer.from(bytes).toString('latin1'));
const escaped = fc.stringMatching(/^(%[0-9a-fA-F]{0,2}|[&=+;?#[\]{}'"\\<>./a-z]){0,20}$/);
const piece = fc.oneof(raw, escaped);
const start = fc.constantFrom(
  '/',
  '/api/endpoints/',
  '/api/endpoints/query/',
  '/api/endpoints/query/logs.all?project=',
  '/api/endpoints/query/usage.api-counts?interval=daily&project=',
  '/api/endpoints/query/get-grouped-stats-events-logs?start_time=',
);

describe('any request target', () => {
  it('returns JSON with a documented status, and does not break the server', async () => {
    const target = fc.tuple(start, piece, piece).map((pieces) => pieces.join(''));
    await whileListening(createHttpServer(listener, logger), async (port) => {
      await fc.assert(
        fc.asyncProperty(target, async (path) => {
          const head = `GET ${path} HTTP/1.1\r\nHost: gateway\r\nX-API-KEY: ${KEY}\r\nConnection: close\r\n\r\n`;
          const [response] = await exchange(port, Buffer.from(head, 'latin1'));
          expect([200, 400, 404]).toContain(response?.status);
          const body = JSON.parse(response?.body ?? '') as Partial<ProblemDocument>;
          if (response?.status !== 200) expect(body.status).toBe(response?.status);
          expect(response?.headers['x-request-id']).toBeDefined();
        }),
        { numRuns: 300 },
      );
    });
    expect(logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
