import {
  classifyInboundRequest,
  createMcpHandler,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
  type InboundHttpRequest,
  type McpHttpHandler,
} from '@modelcontextprotocol/server';

import { Failure } from '../../errors.js';
import { asFailure } from '../transport/problem.js';
import { callTool } from './call-tool.js';
import type { McpCaller } from './mcp-caller.js';
import type { McpParts } from './mcp-parts.js';
import { JSON_RPC, ProtocolError } from './protocol-error.js';
import type { Message } from './read-message.js';
import { listResources, listResourceTemplates, readResource } from './resources.js';

/** A placeholder: the SDK's requests need a URL, but the SDK does not read it. */
const URL_OF_ANY = 'http://gateway/mcp';

const INSTRUCTIONS =
  'Each tool runs one saved, read-only query on ClickHouse and returns rows. A result says how many rows there are (rowsFound), ' +
  'how many of them it has (rowsReturned; max_rows raises it), and in notes what is missing and how to get it. ' +
  'An error says how to correct the call. The resource querygate://endpoints/NAME has the saved query of a tool.';

/**
 * Serves MCP messages with the official SDK, which is loaded with this module. Stateless: each message has its own server object,
 * so that any gateway can respond to any message.
 */
export class MessageServer {
  private readonly current: McpHttpHandler;

  constructor(private readonly parts: McpParts) {
    this.current = createMcpHandler(
      ({ authInfo }) => this.serverFor(authInfo?.extra?.['caller'] as McpCaller),
      {
        legacy: 'reject',
        onerror: parts.onError,
        keepAliveMs: 0,
      },
    );
  }

  /** Responds to a message in the protocol revision that it names. @param headers headers of the HTTP request */
  async serve(headers: Headers, message: Message, caller: McpCaller): Promise<Response> {
    const { body } = message;
    const { kind } = classifyInboundRequest({ httpMethod: 'POST', ...standardHeaders(headers), body });
    // No signal is passed: it would cost more than the request, and each call has its own signal.
    const request = new Request(URL_OF_ANY, { method: 'POST', headers });
    if (kind === 'legacy') return this.serveEarlier(request, body, caller);
    if (message.method === 'subscriptions/listen') return rejectSubscription(message, caller);
    const authInfo = { token: '', clientId: caller.principal.name, scopes: [], extra: { caller } };
    return this.current.fetch(request, { parsedBody: body, authInfo });
  }

  /** Serves revisions with an `initialize` request. Configures JSON responses, because the SDK would send an event stream by default. */
  private async serveEarlier(request: Request, body: unknown, caller: McpCaller): Promise<Response> {
    const server = this.serverFor(caller);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    try {
      return await transport.handleRequest(request, { parsedBody: body });
    } finally {
      await server.close();
    }
  }

  private serverFor(caller: McpCaller): McpServer['server'] {
    const { parts } = this;
    const { endpoints, tools, version } = parts;
    // The low-level server is used, because registering one tool per endpoint for each message would be expensive.
    const { server } = new McpServer(
      { name: 'querygate', title: 'Querygate', version },
      {
        capabilities: { tools: { listChanged: false }, resources: { listChanged: false } },
        instructions: INSTRUCTIONS,
      },
    );
    server.setRequestHandler('tools/list', ({ params }) =>
      respond(caller, () => tools.list(caller, params?.cursor)),
    );
    server.setRequestHandler('tools/call', ({ params }) =>
      respond(caller, () => callTool(parts, caller, params.name)),
    );
    server.setRequestHandler('resources/list', ({ params }) =>
      respond(caller, () => listResources(endpoints, caller, params?.cursor)),
    );
    server.setRequestHandler('resources/templates/list', () => respond(caller, listResourceTemplates));
    server.setRequestHandler('resources/read', ({ params }) =>
      respond(caller, () => readResource(endpoints, caller, params.uri)),
    );
    return server;
  }
}

/** The headers that repeat parts of the message, by the SDK's names. */
function standardHeaders(headers: Headers): Partial<InboundHttpRequest> {
  const version = headers.get('mcp-protocol-version');
  const method = headers.get('mcp-method');
  const name = headers.get('mcp-name');
  return {
    ...(version !== null && { protocolVersionHeader: version }),
    ...(method !== null && { mcpMethodHeader: method }),
    ...(name !== null && { mcpNameHeader: name }),
  };
}

/**
 * Returns the result of a handler, and records its error for the log. The declared type fits any handler of the SDK, whose results
 * are mutable; the SDK does not change them.
 */
async function respond({ context }: McpCaller, handle: () => object | Promise<object>): Promise<never> {
  try {
    return (await handle()) as never;
  } catch (error) {
    context.failure = error instanceof ProtocolError ? error.failure : error;
    context.isFailureInBody = true;
    // The SDK sends the text of every error, so that an internal one is replaced.
    throw error instanceof ProtocolError ? error : asFailure(error);
  }
}

/** Rejects a subscription: the gateway sends no notifications, so that no connection need stay open. */
function rejectSubscription({ id }: Message, { context }: McpCaller): Response {
  const message = 'The gateway sends no notifications: list again instead.';
  context.failure = new Failure('NOT_FOUND', message);
  return Response.json(
    { jsonrpc: '2.0', id, error: { code: JSON_RPC.methodNotFound, message } },
    { status: 404 },
  );
}
