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

/** The SDK's requests need a URL, which it does not read. */
const URL_OF_ANY = 'http://gateway/mcp';

const INSTRUCTIONS =
  'Each tool runs one saved, read-only query on ClickHouse and returns rows. A result says how many rows there are (rowsFound), ' +
  'how many of them it has (rowsReturned; max_rows raises it), and in notes what is missing and how to get it. ' +
  'An error says how to correct the call. The resource querygate://endpoints/NAME has the saved query of a tool.';

/**
 * Serves MCP messages with the official SDK, which is loaded with this module. Stateless: each message has a server object of
 * its own, so that any gateway can respond to any message.
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

  /** Responds to a message in the protocol revision that it names. @param headers of its HTTP request */
  async serve(headers: Headers, message: Message, caller: McpCaller): Promise<Response> {
    const { body } = message;
    const { kind } = classifyInboundRequest({ httpMethod: 'POST', ...standardHeaders(headers), body });
    // Without a signal, which costs more than the request: the calls have one of their own.
    const request = new Request(URL_OF_ANY, { method: 'POST', headers });
    if (kind === 'legacy') return this.serveEarlier(request, body, caller);
    if (message.method === 'subscriptions/listen') return rejectSubscription(message, caller);
    const authInfo = { token: '', clientId: caller.principal.name, scopes: [], extra: { caller } };
    return this.current.fetch(request, { parsedBody: body, authInfo });
  }

  /** The revisions with an `initialize` request. The SDK would send an event stream for each message; JSON does. */
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
    // The low-level server: tools that are registered one by one would cost each message as much as there are endpoints.
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

/** The headers that repeat what the message says, by the SDK's names. */
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
 * The result of a handler, and its error of the protocol for the log. The type is that of any handler of the SDK: those are
 * mutable, but the SDK changes no result.
 */
async function respond({ context }: McpCaller, handle: () => object | Promise<object>): Promise<never> {
  try {
    return (await handle()) as never;
  } catch (error) {
    context.failure = error instanceof ProtocolError ? error.failure : error;
    context.isFailureInBody = true;
    // The SDK sends the text of every error.
    throw error instanceof ProtocolError ? error : asFailure(error);
  }
}

/** The gateway notifies of nothing, so that no connection need stay open. */
function rejectSubscription({ id }: Message, { context }: McpCaller): Response {
  const message = 'The gateway sends no notifications: list again instead.';
  context.failure = new Failure('NOT_FOUND', message);
  return Response.json(
    { jsonrpc: '2.0', id, error: { code: JSON_RPC.methodNotFound, message } },
    { status: 404 },
  );
}
