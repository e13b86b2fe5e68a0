import { ProtocolError, type CallToolResult } from '@modelcontextprotocol/client';

import { freePort } from '../support/free-port.mjs';
import { connectBridge, type BridgedClient } from '../support/mcp-bridge.js';
import { REVISIONS } from '../support/mcp-client.js';
import {
  MCP_INTRODUCTION,
  MCP_KEY,
  sendProblemDocument,
  startHttpServer,
  startMcpGateway,
  type McpGateway,
  type ReceivedRequest,
  type RespondToMcp,
} from '../support/mcp-gateway.js';

const CALL = { name: 'orders_by-day', arguments: { shop: 'north', max_rows: 5 } };
const TOOL = { name: CALL.name, inputSchema: { type: 'object' } };

/** What a call rejects with. */
const errorOf = async (call: Promise<unknown>): Promise<ProtocolError> => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ProtocolError)) throw new Error(`not a JSON-RPC error: ${String(error)}`);
  return error;
};

describe.each(REVISIONS)('querygate mcp with a client of revision %s', (revision) => {
  let gateway: McpGateway;
  let bridged: BridgedClient;
  let respond: RespondToMcp;
  let received: ReceivedRequest[] = [];

  beforeAll(async () => {
    gateway = await startMcpGateway((request) => {
      received.push(request);
      return respond(request);
    });
    bridged = await connectBridge(revision, ['--url', gateway.url, '--tag', 'sales', '--tag', 'a b'], {
      QUERYGATE_KEY: MCP_KEY,
    });
  });
  afterEach(() => {
    received = [];
  });
  afterAll(async () => {
    const stderr = await bridged.close();
    await gateway.close();
    expect(stderr).not.toContain(MCP_KEY);
  });

  it('introduces itself as the gateway does', () => {
    expect(bridged.client.getServerVersion()).toEqual(MCP_INTRODUCTION.serverInfo);
    expect(bridged.client.getInstructions()).toBe(MCP_INTRODUCTION.instructions);
    expect(bridged.client.getServerCapabilities()).toEqual({ tools: {}, resources: {} });
  });

  it('sends the key and the tags with each request', async () => {
    respond = () => ({ tools: [TOOL], ttlMs: 0, cacheScope: 'private' });
    await bridged.client.listTools();
    const [request] = received;
    expect(request).toMatchObject({ path: '/mcp?tag=sales&tag=a+b', headers: { 'x-api-key': MCP_KEY } });
  });

  it('passes on pages of tools with their cursors', async () => {
    respond = ({ params }) => {
      const page = { tools: [TOOL], ttlMs: 60_000, cacheScope: 'private' };
      return params['cursor'] === undefined ? { ...page, nextCursor: 'two' } : page;
    };
    const { tools } = await bridged.client.listTools();
    expect(tools).toEqual([TOOL, TOOL]);
    expect(received.map(({ params }) => params['cursor'])).toEqual([undefined, 'two']);
  });

  it('passes on a call and its result unchanged', async () => {
    const result: CallToolResult = {
      content: [{ type: 'text', text: '2 rows', annotations: { priority: 1 } }],
      structuredContent: { rows: [{ n: 1.5, big: '18446744073709551615', none: null }], returned: 2 },
      _meta: { 'querygate/age': 3 },
    };
    respond = () => result;
    expect(await bridged.client.callTool(CALL)).toMatchObject(result);
    const [request] = received;
    expect(request).toMatchObject({ method: 'tools/call', params: CALL });
  });

  it('responds with a JSON-RPC error to methods that the gateway does not have', async () => {
    const error = await errorOf(bridged.client.getPrompt({ name: 'orders' }));
    expect([error.code, received]).toEqual([-32601, []]);
  });

  it('passes on large results', async () => {
    const rows = Array.from({ length: 50_000 }, (_, n) => ({ n, text: 'row '.repeat(20) }));
    respond = () => ({ content: [], structuredContent: { rows } });
    expect((await bridged.client.callTool(CALL)).structuredContent).toEqual({ rows });
  });

  it('runs calls at the same time', async () => {
    let both: () => void = () => undefined;
    const started = new Promise<void>((resolve) => (both = resolve));
    respond = async ({ params }) => {
      if (received.length === 2) both();
      await started;
      return { content: [{ type: 'text', text: String(params['name']) }] };
    };
    const calls = ['a', 'b'].map((name) => bridged.client.callTool({ name }));
    expect((await Promise.all(calls)).map(({ content }) => content)).toMatchObject([
      [{ text: 'a' }],
      [{ text: 'b' }],
    ]);
  });

  it('closes the HTTP request of a cancelled call', async () => {
    const cancelling = new AbortController();
    let closed: () => void = () => undefined;
    const isClosed = new Promise<void>((resolve) => (closed = resolve));
    respond = async ({ signal }) => {
      signal.addEventListener('abort', closed);
      cancelling.abort();
      await isClosed;
      return { content: [] };
    };
    await expect(bridged.client.callTool(CALL, { signal: cancelling.signal })).rejects.toThrow();
    await isClosed;
  });
});

describe.each(REVISIONS)('querygate mcp with a client of revision %s and a failing gateway', (revision) => {
  it('starts without a gateway, and tries again with each request', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const { client, close } = await connectBridge(revision, ['--url', `${url}/mcp/`, '--key', MCP_KEY]);
    const start = (): Promise<McpGateway> => startMcpGateway(() => ({ content: [] }), port);
    expect(client.getServerVersion()).toMatchObject({ name: 'querygate' });
    const unreachable = {
      code: -32000,
      message: expect.stringMatching(`^The gateway at ${url} is unreachable: .*ECONN.*--url`) as string,
    };
    expect(await errorOf(client.callTool(CALL))).toMatchObject(unreachable);
    const first = await start();
    expect(await client.callTool(CALL)).toMatchObject({ content: [] });
    await first.close();
    expect(await errorOf(client.callTool(CALL))).toMatchObject(unreachable);
    gateways.push(await start());
    expect(await client.callTool(CALL)).toMatchObject({ content: [] });
    expect(await close()).toMatch(/^warning: tools\/call: The gateway at .* is unreachable/m);
  });

  const gateways: McpGateway[] = [];
  afterAll(() => Promise.all(gateways.map(({ close }) => close())));

  it('reports when to repeat a request that a limit rejects', async () => {
    const gateway = await startHttpServer((_, response) => {
      const members = {
        title: 'Limit exceeded',
        code: 'LIMIT_EXCEEDED',
        detail: 'At most 2 requests a minute.',
      };
      sendProblemDocument(response, 429, members, { 'Retry-After': '7' });
    });
    gateways.push(gateway);
    const { client, close } = await connectBridge(revision, ['--url', gateway.url]);
    expect(await errorOf(client.callTool(CALL))).toMatchObject({
      message: `The gateway at ${gateway.url} rejected the request: Limit exceeded (429 LIMIT_EXCEEDED): At most 2 requests a minute. Retry after 7 s. Request id: r1`,
      data: { status: 429, code: 'LIMIT_EXCEEDED', retryAfterSeconds: 7 },
    });
    await close();
  });

  it.each([
    [
      'a page',
      'text/html',
      '<p>Hello</p>',
      /did not respond with an MCP message: HTTP 200: <p>Hello<\/p>\. Check/,
    ],
    ['JSON of another kind', 'application/json', '{"a":1}', /is not a valid MCP message: .*Check --url/],
    ['a part of a response', 'application/json', '{"jsonrpc":', /is not a valid MCP message: .*Check --url/],
  ])('reports %s instead of a response', async (_what, type, body, message) => {
    const gateway = await startHttpServer((_, response) => {
      response.writeHead(200, { 'Content-Type': type }).end(body);
    });
    gateways.push(gateway);
    const { client, close } = await connectBridge(revision, ['--url', gateway.url]);
    expect((await errorOf(client.callTool(CALL))).message).toMatch(message);
    await close();
  });
});
