import { keyNamed } from '../../support/access-gateway.js';
import { REVISIONS, type Revision } from '../../support/mcp-client.js';
import { ENVELOPE, httpMessage, rawRequest } from '../../support/mcp-message.js';
import { McpOnClickHouse } from '../../support/mcp-on-clickhouse.js';
import { exchange, type RawResponse } from '../../support/raw-exchange.js';

const KIB = 1024;
const MAX_BODY = 256 * KIB;

let mcp: McpOnClickHouse;
beforeAll(async () => {
  mcp = await McpOnClickHouse.open();
});
afterAll(() => mcp.close());

/** Sends bytes with the headers of a call, some of them changed, or absent where undefined. */
async function post(
  revision: Revision,
  body: string | Buffer,
  changes: Readonly<Record<string, string | undefined>> = {},
): Promise<RawResponse> {
  const { headers } = httpMessage(revision, { method: 'tools/call', params: { name: 'slow' } });
  const all: Record<string, string | undefined> = {
    ...headers,
    'X-API-KEY': keyNamed('caller'),
    Connection: 'close',
    ...changes,
  };
  const sent = Object.entries(all).filter((header): header is [string, string] => header[1] !== undefined);
  const port = Number(new URL(mcp.url).port);
  const [response] = await exchange(port, rawRequest(Object.fromEntries(sent), body));
  if (!response) throw new Error('the gateway closed the connection without a response');
  return response;
}

/** Status, and code of the JSON-RPC error or of the problem document: `400 -32600`, or `415 UNSUPPORTED_MEDIA_TYPE`. */
function outcomeOf({ status, body }: RawResponse): string {
  if (body === '') return String(status);
  const { error, code, result } = JSON.parse(body) as {
    readonly error?: { readonly code?: number };
    readonly code?: string;
    readonly result?: { readonly isError?: boolean };
  };
  const detail = code ?? error?.code ?? (result?.isError ? 'isError' : 'result');
  return `${status} ${detail}`;
}

const text = (revision: Revision, changes: Record<string, unknown>): string => {
  const { body } = httpMessage(revision, { method: 'tools/call', params: { name: 'slow', arguments: {} } });
  return JSON.stringify({ ...(JSON.parse(body) as object), ...changes });
};
const paramsOf = (revision: Revision, params: Record<string, unknown>): string =>
  text(revision, { params: { ...params, ...(revision === '2026-07-28' && { _meta: ENVELOPE }) } });

describe.each(REVISIONS)('in the revision %s', (revision) => {
  afterEach(async () => {
    const { headers, body } = httpMessage(revision, {
      method: 'tools/call',
      params: { name: 'slow', arguments: { city: 'after' } },
    });
    expect(outcomeOf(await post(revision, body, headers))).toBe('200 result');
    expect(mcp.complaints).toEqual([]);
  });

  const whole = (): string => text(revision, {});
  it.each<[string, () => string | Buffer]>([
    ['no body', () => ''],
    ['no JSON', () => 'hello'],
    ['half of a message', () => whole().slice(0, 40)],
    ['two messages', () => whole() + whole()],
    ['a name twice', () => whole().replace('{', '{"id":1,')],
    ['a name twice by an escape', () => whole().replace('{', '{"\\u0069d":1,')],
    [
      'a name twice in the arguments',
      () => whole().replace('"arguments":{}', '"arguments":{"city":"a","city":"b"}'),
    ],
    [
      'deep nesting',
      () => paramsOf(revision, { name: 'slow' }).replace('"slow"', '['.repeat(1e5) + ']'.repeat(1e5)),
    ],
    [
      'invalid UTF-8',
      () => Buffer.concat([Buffer.from('{"jsonrpc":"'), Buffer.from([0xff]), Buffer.from('"}')]),
    ],
    ['a NUL byte', () => whole().replace('"slow"', '"sl\0ow"')],
  ])('rejects %s with 400 MALFORMED_BODY', async (_what, body) => {
    expect(outcomeOf(await post(revision, body()))).toBe('400 MALFORMED_BODY');
  });

  it.each([
    ['null', 'null'],
    ['a number', '1'],
    ['a text', '"tools/call"'],
    ['a batch', () => `[${text(revision, {})}]`],
    ['an empty batch', '[]'],
  ])('rejects %s with 400 BAD_REQUEST', async (_what, body) => {
    expect(outcomeOf(await post(revision, typeof body === 'string' ? body : body()))).toBe('400 BAD_REQUEST');
  });

  it('accepts a body of 256 KiB, and rejects one byte more with 413', async () => {
    const fits = whole().padEnd(MAX_BODY, ' ');
    expect(outcomeOf(await post(revision, fits))).toBe('200 result');
    expect(outcomeOf(await post(revision, `${fits} `))).toBe('413 BODY_TOO_LARGE');
  });

  it('rejects a body without a length that exceeds 256 KiB with 413', async () => {
    const chunk = `${(MAX_BODY + 1).toString(16)}\r\n${'x'.repeat(MAX_BODY + 1)}\r\n0\r\n\r\n`;
    const changes = { 'Transfer-Encoding': 'chunked' };
    expect(outcomeOf(await post(revision, chunk, changes))).toBe('413 BODY_TOO_LARGE');
  });

  it.each([
    ['no Content-Type', { 'Content-Type': undefined }],
    ['another Content-Type', { 'Content-Type': 'text/plain' }],
    ['another charset', { 'Content-Type': 'application/json; charset=utf-16' }],
    ['a compressed body', { 'Content-Encoding': 'gzip' }],
  ])('rejects %s with 415', async (_what, changes) => {
    expect(outcomeOf(await post(revision, whole(), changes))).toBe('415 UNSUPPORTED_MEDIA_TYPE');
  });

  const isCurrent = revision === '2026-07-28';

  it.each<[string, Record<string, unknown>]>([
    ['params that are an array', { params: [] }],
    ['params that are null', { params: null }],
    ['no method', { method: undefined }],
    ['a method that is a number', { method: 1 }],
    ['no jsonrpc', { jsonrpc: undefined }],
    ['jsonrpc 1.0', { jsonrpc: '1.0' }],
    ['an id that is null', { id: null }],
    ['an id that is an object', { id: {} }],
    ['an id that is a fraction', { id: 1.5 }],
  ])('rejects %s with 400', async (_what, changes) => {
    expect(outcomeOf(await post(revision, text(revision, changes)))).toBe('400 -32600');
  });

  it('accepts a long id, and repeats it', async () => {
    const id = 'x'.repeat(100 * KIB);
    expect(JSON.parse((await post(revision, text(revision, { id }))).body)).toMatchObject({ id });
  });

  it('accepts a notification with 202 and does nothing', async () => {
    expect(outcomeOf(await post(revision, text(revision, { id: undefined })))).toBe('202');
  });

  it('runs nothing for a posted response', async () => {
    const body = text(revision, { method: undefined, params: undefined, result: {} });
    expect(outcomeOf(await post(revision, body))).toBe(isCurrent ? '400 -32000' : '202');
  });

  it.each<[string, unknown]>([
    ['an array', []],
    ['a number', 1],
    ['a text', 'city'],
    ['null', null],
  ])('rejects arguments that are %s', async (_what, args) => {
    const body = paramsOf(revision, { name: 'slow', arguments: args });
    expect(outcomeOf(await post(revision, body))).toBe('200 isError');
  });

  it('calls a tool without arguments', async () => {
    expect(outcomeOf(await post(revision, paramsOf(revision, { name: 'slow' })))).toBe('200 result');
  });

  it.each<[string, string]>([
    ['city is not valid Unicode: a surrogate is alone', '{"city":"\\ud800"}'],
    ['city must not contain a null byte', '{"city":"a\\u0000b"}'],
    ['city must be a string', '{"city":{}}'],
    ['constructor is no argument of this tool', '{"constructor":"x"}'],
    ['__proto__ is no argument of this tool', '{"__proto__":{"city":"x"}}'],
  ])('returns the tool error: %s', async (expected, args) => {
    const response = await post(revision, whole().replace('"arguments":{}', `"arguments":${args}`));
    expect(outcomeOf(response)).toBe('200 isError');
    expect(response.body).toContain(expected);
  });

  it('takes nothing from a member called __proto__', async () => {
    const inherited = whole().replace('"name":"slow"', '"__proto__":{"name":"slow"}');
    // In the current revision a header contradicts the missing name.
    expect(outcomeOf(await post(revision, inherited))).toMatch(/^[24]00 -32(602|020)$/);
    const withMethod = whole().replace('"method":"tools/call"', '"__proto__":{"method":"tools/call"}');
    expect(outcomeOf(await post(revision, withMethod))).toMatch(/^400 -32/);
  });

  it.each([[undefined], [1], ['__proto__'], ['constructor'], ['sl\ud800'], ['slow.'], ['']])(
    'rejects the tool name %j',
    async (name) => {
      const body = paramsOf(revision, { name, arguments: {} });
      const routing = typeof name === 'string' ? { 'Mcp-Name': name } : {};
      const sent = name === 'sl\ud800' ? {} : routing;
      expect(outcomeOf(await post(revision, body, sent))).toMatch(/^(200 -32602|400 -32020)$/);
    },
  );

  it('needs an Accept header only where the revision demands one', async () => {
    for (const Accept of [undefined, 'application/json', 'text/html']) {
      const outcome = outcomeOf(await post(revision, whole(), { Accept }));
      expect([Accept, outcome]).toEqual([Accept, isCurrent ? '200 result' : '406 -32000']);
    }
  });

  it('rejects a protocol version that it does not support with 400', async () => {
    const body = whole().replace('2026-07-28', '1999-01-01');
    const response = await post(revision, body, { 'MCP-Protocol-Version': '1999-01-01' });
    expect(outcomeOf(response)).toBe(isCurrent ? '400 -32022' : '400 -32000');
    expect(response.body).toContain(revision);
  });

  it('rejects headers that contradict the body with 400, in the revision that has them', async () => {
    for (const changes of [
      { 'MCP-Protocol-Version': '2025-06-18' },
      { 'MCP-Protocol-Version': undefined },
      { 'Mcp-Method': 'tools/list' },
      { 'Mcp-Method': undefined },
      { 'Mcp-Name': 'other' },
      { 'Mcp-Name': undefined },
    ]) {
      const outcome = outcomeOf(await post(revision, whole(), changes));
      expect([changes, outcome]).toEqual([changes, isCurrent ? '400 -32020' : '200 result']);
    }
  });

  it.each<[string, Record<string, unknown>]>([
    ['nothing', {}],
    ['subscriptions/listen', { notifications: { toolsListChanged: true } }],
    ['prompts/list', {}],
    ['prompts/get', { name: 'x' }],
    ['completion/complete', {}],
    ['logging/setLevel', { level: 'debug' }],
    ['resources/subscribe', { uri: 'querygate://endpoints/slow' }],
    ['notifications/cancelled', { requestId: 1 }],
    ['__proto__', {}],
    ['', {}],
  ])('has no method %j', async (method, params) => {
    expect(outcomeOf(await request(method, params))).toBe(isCurrent ? '404 -32601' : '200 -32601');
  });

  it.each<[string, Record<string, unknown>]>([
    ['tools/list', { cursor: 1 }],
    ['resources/read', {}],
    ['resources/read', { uri: 1 }],
    ['resources/read', { uri: 'file:///etc/passwd' }],
    ['resources/read', { uri: 'querygate://endpoints/__proto__' }],
  ])('responds to %s with %j with an error of the protocol', async (method, params) => {
    const response = await request(method, params);
    expect(outcomeOf(response)).toMatch(/^200 -3260[23]$/);
    expect(response.body).not.toMatch(/node_modules|at .*\.js/);
  });

  it('has initialize in the earlier revision alone, and offers its own version for an unknown one', async () => {
    const clientInfo = { name: 'a', version: '1' };
    const params = { protocolVersion: '1999-01-01', capabilities: {}, clientInfo };
    const response = await request('initialize', params);
    expect(outcomeOf(response)).toBe(isCurrent ? '404 -32601' : '200 result');
    if (!isCurrent)
      expect(JSON.parse(response.body)).toMatchObject({ result: { protocolVersion: revision } });
  });

  const request = (method: string, params: Record<string, unknown>): Promise<RawResponse> => {
    const { headers, body } = httpMessage(revision, { method, params });
    return post(revision, body, { 'Mcp-Name': undefined, ...headers });
  };
});
