import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

import { JsonBodies } from '../../src/gateway/http/call/json-body.js';
import { MAX_LIST_ITEMS } from '../../src/gateway/http/call/json-parameters.js';
import { parseJsonText } from '../../src/gateway/http/call/json-text.js';
import { httpMessage, rawRequest } from '../support/mcp-message.js';
import { exchange, whileListening, type RawResponse } from '../support/raw-exchange.js';
import { sampleEndpoint } from '../support/sample-endpoint.js';
import { KINDS, KINDS_CALL } from '../support/sample-kinds.js';
import { createTestGateway, KEY, type ProblemDocument } from '../support/test-gateway.js';

/** The turn of the event loop. */
let turn = 0;
let next: NodeJS.Immediate;
const count = (): void => {
  turn += 1;
  next = setImmediate(count);
};
beforeAll(count);
afterAll(() => {
  clearImmediate(next);
});

/** The turns in which bodies were parsed. */
const parsedIn: number[] = [];
const bodies = new JsonBodies((text, names) => {
  parsedIn.push(turn);
  return parseJsonText(text, names);
});
const gateway = await createTestGateway({
  endpoints: [KINDS, sampleEndpoint()],
  bodies,
  mcp: { maxToolBytes: 1000, authorizationServer: undefined, trustProxy: [], onError: () => undefined },
});
beforeEach(() => {
  parsedIn.splice(0);
  gateway.runQuery.requests.splice(0);
});

const { headers: MESSAGE_HEADERS } = httpMessage('2025-11-25', { method: 'tools/call' });

/** Sends the text of an object as the body of a POST, or as the arguments of a tool. */
async function send(
  way: string,
  sent: string,
): Promise<Pick<ProblemDocument, 'status' | 'code' | 'detail'> & { readonly text: string }> {
  const isMessage = way === 'MCP';
  const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"kinds","arguments":${sent}}}`;
  const response = await gateway
    .agent()
    .post(isMessage ? '/mcp' : way)
    .set({ ...MESSAGE_HEADERS, 'X-API-KEY': KEY })
    .send(isMessage ? message : sent);
  const { code, detail } = JSON.parse(response.text) as ProblemDocument;
  return { status: response.status, code, detail, text: response.text };
}

const listOf = (count: number, item = '1'): string => `{"names":[${Array(count).fill(item).join()}]}`;
const namesOf = (count: number): string =>
  `{${Array.from({ length: count }, (_, index) => `"${index.toString(36)}":1`).join()}}`;
const nested = `${'['.repeat(60)}${']'.repeat(60)}`;

const MANY_VALUES =
  /^The body has more than (?:66538|81922) values in its arrays and objects, which is what its parameters can take\. Send fewer items\.$/;
const MANY_NAMES = /^The body has more than (?:1000|16384) names\. Send only parameters of the endpoint\.$/;

describe.each([KINDS_CALL, 'MCP'])('a hostile body of %s is rejected before it is parsed:', (way) => {
  it.each([
    ['a list of 130,000 items', listOf(130_000), 413, 'BODY_TOO_LARGE', MANY_VALUES],
    ['85,000 arrays in a list', listOf(85_000, '[]'), 413, 'BODY_TOO_LARGE', MANY_VALUES],
    ['2,000 arrays of 60 levels', listOf(2000, nested), 413, 'BODY_TOO_LARGE', MANY_VALUES],
    ['85,000 objects in a list', listOf(85_000, '{}'), 413, 'BODY_TOO_LARGE', MANY_VALUES],
    ['28,000 names', namesOf(28_000), 400, 'BAD_REQUEST', MANY_NAMES],
    ['28,000 names in objects', listOf(28_000, '{"":1}'), 400, 'BAD_REQUEST', MANY_NAMES],
    ['100,000 levels', '['.repeat(1e5), 400, 'MALFORMED_BODY', /expected at most 64 levels of arrays/],
  ])('%s', async (_what, text, status, code, detail) => {
    const rejected = await send(way, text);
    expect(rejected).toMatchObject({ status, code, detail: expect.stringMatching(detail) as unknown });
    expect(rejected.detail.length).toBeLessThan(200);
    expect([parsedIn, gateway.runQuery.requests]).toEqual([[], []]);
  });
});

it('a list of 130,000 items without an end is malformed, which is known before it is parsed', async () => {
  const cut = listOf(130_000).slice(0, -2);
  expect(await send(KINDS_CALL, cut)).toMatchObject({
    code: 'MALFORMED_BODY',
    detail: `The body is not valid JSON: line 1, column ${cut.length + 1}: expected the end of each array and object.`,
  });
  expect(parsedIn).toEqual([]);
});

describe('a body within the bounds', () => {
  it.each([
    ['a list of 32,769 empty texts', listOf(MAX_LIST_ITEMS, '""'), 200],
    ['1,000 names', namesOf(1000), 200],
    ['1,001 names', namesOf(1001), 400],
    ['an unknown name with 500 arrays', `{"other":${listOf(500, '[]')}}`, 200],
  ])('is parsed once, and one beyond them not at all: %s', async (_what, text, status) => {
    expect(await send(KINDS_CALL, text)).toMatchObject({ status });
    expect(parsedIn).toHaveLength(status === 200 ? 1 : 0);
  });

  it('has no list where the endpoint has none', async () => {
    const target = '/api/endpoints/query/sample';
    expect(await send(target, listOf(900))).toMatchObject({ status: 200 });
    expect(await send(target, listOf(1000))).toMatchObject({ status: 413 });
    expect(parsedIn).toHaveLength(1);
  });

  it('of a message has unknown names that the error counts, and the longest list of all endpoints', async () => {
    expect((await send('MCP', namesOf(10_000))).text).toContain('more unknown names');
    expect((await send('MCP', listOf(MAX_LIST_ITEMS, '""'))).text).toContain('"structuredContent"');
    expect(parsedIn).toHaveLength(2);
  });
});

describe('ten bodies that arrive at once', () => {
  it('are parsed in ten turns of the event loop, whether they are calls or messages', async () => {
    const body = `{"names":["${'a'.repeat(2000)}"]}`;
    const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"kinds","arguments":${body}}}`;
    const headers = { ...MESSAGE_HEADERS, 'X-API-KEY': KEY, Connection: 'close' };
    const received: (readonly [IncomingMessage, ServerResponse])[] = [];
    const server = createServer((request, response) => {
      received.push([request, response]);
      if (received.length === 10) for (const each of received) gateway.listener(...each);
    });
    await whileListening(server, async (port) => {
      const sent = Array.from({ length: 10 }, (_, index): Promise<readonly RawResponse[]> => {
        const call = rawRequest(headers, index % 2 === 0 ? message : body).toString();
        return exchange(port, index % 2 === 0 ? call : call.replace('/mcp', KINDS_CALL));
      });
      const statuses = (await Promise.all(sent)).map(([response]) => response?.status);
      expect(statuses).toEqual(Array(10).fill(200));
    });
    expect(parsedIn).toHaveLength(10);
    expect(new Set(parsedIn).size).toBe(10);
  });
});
