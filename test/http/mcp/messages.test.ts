import { withSettings } from '../../../src/endpoint/endpoint.js';
import { Failure } from '../../../src/gateway/errors.js';
import type { NetworkResponse } from '../../support/network-request.js';
import { codeOf } from '../../support/network-request.js';
import { resultOf } from '../../support/fake-run-query.js';
import { rowsOfTool, textOfTool } from '../../support/mcp-client.js';
import { httpMessage } from '../../support/mcp-message.js';
import { callTool, McpShop, ORDERS, rowsOf, SAMPLE, useMcpShop } from '../../support/mcp-shop.js';

const { headers: HEADERS } = httpMessage('2025-11-25', { method: 'tools/call' });
const CALL = {
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name: 'sample', arguments: { city: 'Rome' } },
};
const LIST = { jsonrpc: '2.0', id: 7, method: 'tools/list' };

const post = (shop: McpShop, message: unknown, name = 'all', headers = {}): Promise<NetworkResponse> =>
  shop.gateway.send(name, '/mcp', {
    method: 'POST',
    body: typeof message === 'string' ? message : JSON.stringify(message),
    headers: { ...HEADERS, ...headers },
  });
const lineOf = async ({ gateway }: McpShop): Promise<Readonly<Record<string, unknown>>> =>
  (await gateway.logger.line('request')).fields;

describe('a message', () => {
  const shop = useMcpShop();

  it('gets one JSON response, which no cache stores, with the headers of every response', async () => {
    const response = await post(shop, CALL, 'all', { 'X-Request-Id': 'request-1' });
    expect(response.status).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-request-id': 'request-1',
      'x-content-type-options': 'nosniff',
    });
    expect(response.headers).not.toHaveProperty('mcp-session-id');
    expect(JSON.parse(response.text)).toMatchObject({
      jsonrpc: '2.0',
      id: 7,
      result: { structuredContent: {} },
    });
  });

  it('is logged like the same HTTP request', async () => {
    await post(shop, CALL);
    expect(await lineOf(shop)).toMatchObject({
      method: 'POST',
      path: '/mcp',
      key: 'all',
      endpoint: 'sample',
      status: 200,
      rows: 120,
      cache: 'MISS',
      clickhouseMs: 1.5,
    });
  });

  it.each([
    ['a tool that does not exist', 'tools/call', { name: 'nothing' }, 404, 'ENDPOINT_NOT_FOUND'],
    [
      'a resource that does not exist',
      'resources/read',
      { uri: 'querygate://endpoints/no' },
      404,
      'ENDPOINT_NOT_FOUND',
    ],
    ['an invalid cursor', 'tools/list', { cursor: '!' }, 400, 'BAD_REQUEST'],
    ['an unknown method', 'prompts/list', {}, 404, 'NOT_FOUND'],
    ['parameters of another type', 'resources/read', { uri: 7 }, 400, 'BAD_REQUEST'],
  ])('is logged as a failure: %s', async (_what, method, params, status, code) => {
    const response = await post(shop, { jsonrpc: '2.0', id: 7, method, params });
    expect(JSON.parse(response.text)).toMatchObject({
      id: 7,
      error: { code: expect.any(Number) as unknown },
    });
    expect(await lineOf(shop)).toMatchObject({ path: '/mcp', status, code });
  });

  it('without a request in it is accepted without a body', async () => {
    const accepted = await post(shop, { jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([accepted.status, accepted.text]).toEqual([202, '']);
  });

  it.each([
    ['{', 400, 'MALFORMED_BODY'],
    ['', 400, 'MALFORMED_BODY'],
    [[CALL], 400, 'BAD_REQUEST'],
    ['null', 400, 'BAD_REQUEST'],
    ['{"method":"tools/list","method":"ping"}', 400, 'MALFORMED_BODY'],
    [{ ...CALL, params: 'x'.repeat(256 * 1024) }, 413, 'BODY_TOO_LARGE'],
  ])('that is malformed is a problem: %j', async (message, status, code) => {
    const response = await post(shop, message);
    expect([response.status, codeOf(response)]).toEqual([status, code]);
    expect(shop.gateway.runQuery.requests).toEqual([]);
  });

  it('below the path is none', async () => {
    const response = await shop.gateway.send('all', '/mcp/other', {
      method: 'POST',
      body: '{}',
      headers: HEADERS,
    });
    expect(codeOf(response)).toBe('NOT_FOUND');
  });

  it('with another media type is rejected', async () => {
    expect((await post(shop, CALL, 'all', { 'Content-Type': 'text/plain' })).status).toBe(415);
  });

  it.each([
    ['arguments must be an object', '[]'],
    ['city is not valid Unicode: a surrogate is alone', '{"city":"\\ud800"}'],
    ['city must not contain a null byte', '{"city":"a\\u0000b"}'],
    ['city must be a string', '{"city":{}}'],
    ['constructor is no argument of this tool', '{"constructor":"x"}'],
    ['__proto__ is no argument of this tool', '{"__proto__":{"city":"x"}}'],
  ])('with arguments that are malformed gets the error of the tool: %s', async (problem, args) => {
    const { text } = await post(shop, JSON.stringify(CALL).replace('{"city":"Rome"}', args));
    expect(JSON.parse(text)).toMatchObject({ id: 7, result: { isError: true } });
    expect(text).toContain(problem);
  });

  it('takes nothing from a member called __proto__', async () => {
    const inherited = JSON.stringify(CALL).replace('"name":"sample"', '"__proto__":{"name":"sample"}');
    expect(JSON.parse((await post(shop, inherited)).text)).toMatchObject({ error: { code: -32_602 } });
    expect(shop.gateway.runQuery.requests).toEqual([]);
  });

  it('to subscribe is an error: the gateway notifies of nothing', async () => {
    const client = await shop.connect();
    await expect(client.listen({ toolsListChanged: true })).rejects.toThrow();
    const { headers, body } = httpMessage('2026-07-28', {
      method: 'subscriptions/listen',
      params: { notifications: {} },
      id: 7,
    });
    const response = await post(shop, body, 'all', headers);
    expect([response.status, JSON.parse(response.text)]).toMatchObject([
      404,
      { id: 7, error: { code: -32_601 } },
    ]);
  });
});

describe('where MCP is off', () => {
  const shop = new McpShop();
  beforeEach(() => shop.open({ environment: { MCP: 'off' } }));
  afterEach(() => shop.gateway.close());

  it('its path does not exist', async () => {
    expect(codeOf(await post(shop, CALL))).toBe('NOT_FOUND');
  });
});

describe('a limit on requests', () => {
  const shop = new McpShop();
  beforeEach(() =>
    shop.open({
      endpoints: [ORDERS, withSettings(SAMPLE, { limits: { requests: { quota: 3, window: 60 } } })],
      keys: { all: {}, two: { limits: { requests: { quota: 2, window: 60 } } } },
    }),
  );
  afterEach(() => shop.gateway.close());

  it('counts each message, and makes a call an error of its tool that says when to try again', async () => {
    await post(shop, LIST, 'two');
    await post(shop, CALL, 'two');
    const rejected = await post(shop, CALL, 'two');
    expect(rejected.status).toBe(200);
    expect(rejected.headers['retry-after']).toMatch(/^(?:59|60)$/);
    expect(rejected.headers['ratelimit']).toMatch(/^"requests";r=0;/);
    const { result } = JSON.parse(rejected.text) as {
      result: { isError: boolean; content: { text: string }[]; _meta: Record<string, object> };
    };
    expect(result.isError).toBe(true);
    expect(result.content[0]?.text).toMatch(
      /^This key has reached its limit of 2 requests in 60 seconds\.[^]*Try again in (?:59|60) seconds\.\n\(LIMIT_EXCEEDED, request /,
    );
    expect(result._meta['querygate/problem']).toMatchObject({ status: 429, code: 'LIMIT_EXCEEDED' });
    const logged = shop.gateway.logger.lines.filter(({ fields }) => fields['code'] === 'LIMIT_EXCEEDED');
    expect(logged).toMatchObject([
      { level: 'info', fields: { status: 429, endpoint: 'sample', key: 'two' } },
    ]);
  });

  it('rejects other messages with 429', async () => {
    await post(shop, '{', 'two');
    await post(shop, [], 'two');
    const rejected = await post(shop, LIST, 'two');
    expect([rejected.status, codeOf(rejected)]).toEqual([429, 'LIMIT_EXCEEDED']);
    expect((await shop.gateway.send('two', '/mcp')).status).toBe(429);
  });

  it('of an endpoint counts calls of its tool, and of REST, together', async () => {
    for (let times = 0; times < 2; times += 1) await post(shop, CALL);
    await shop.gateway.send('all', '/api/endpoints/query/sample?city=Rome');
    expect((await post(shop, CALL)).text).toContain('LIMIT_EXCEEDED');
    expect((await post(shop, LIST)).status).toBe(200);
  });
});

describe('a failure', () => {
  const shop = useMcpShop();

  it.each([
    [new Failure('CLICKHOUSE_UNREACHABLE', 'Away.', { retryAfterSeconds: 2 }), 503, 'Call again in 2 s'],
    [new Failure('QUERY_TIMEOUT', 'Too long.'), 504, 'Too long.'],
    [new Error('secret text'), 500, 'The gateway failed to process this request.'],
  ])(
    'of the query is an error of the tool, and logged with its status: %s',
    async (failure, status, words) => {
      shop.gateway.runQuery.fail(failure);
      const result = await callTool(await shop.connect(), { city: 'Rome' }, 'sample');
      expect(result.isError).toBe(true);
      expect(textOfTool(result)).toContain(words);
      expect(JSON.stringify(result)).not.toContain('secret text');
      const failed = shop.gateway.logger.lines.filter(({ fields }) => fields['status'] === status);
      expect(failed).toMatchObject([{ level: 'error', fields: { endpoint: 'sample', path: '/mcp' } }]);
    },
  );

  it('with an older result at hand returns it, and says so', async () => {
    const client = await shop.connect();
    await callTool(client, { city: 'Rome' }, 'sample');
    shop.gateway.clock.advance(70);
    shop.gateway.runQuery.fail(new Failure('CLICKHOUSE_UNREACHABLE', 'Away.'));
    const result = rowsOfTool(await callTool(client, { city: 'Rome', max_rows: 10 }, 'sample'));
    expect(result).toMatchObject({ ageSeconds: 70, freshSeconds: 0, rowsFound: 120 });
    expect(result.notes.join()).toContain('these are the rows of an older result');
  });

  it('of a shard leaves out rows, and says so', async () => {
    shop.gateway.runQuery.respondWith(() => Promise.resolve({ ...resultOf(rowsOf(1)), partial: true }));
    const result = rowsOfTool(await callTool(await shop.connect(), { shop: 'rome' }));
    expect(result.freshSeconds).toBe(0);
    expect(result.notes).toEqual([
      'A shard of ClickHouse is unreachable, so that rows are missing. Try again later.',
    ]);
  });
});
