import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { createMcpHandler, McpServer, type Result } from '@modelcontextprotocol/server';

/** The key that the stand-in accepts. */
export const MCP_KEY = 'a-key-of-the-mcp-tests';

/** How the stand-in introduces itself. */
export const MCP_INTRODUCTION = {
  serverInfo: { name: 'stand-in', version: '9.8.7' },
  instructions: 'Rows of a shop.',
};

/** A request of MCP as the stand-in gets it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Aborted when the client closes the HTTP request. */
  readonly signal: AbortSignal;
}

/** Returns the result of a request. A ProtocolError that it throws becomes a JSON-RPC error. */
export type RespondToMcp = (request: ReceivedRequest) => Result | Promise<Result>;

/** A stand-in for a gateway's `POST /mcp`: the SDK's own server. */
export interface McpGateway {
  readonly url: string;
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** Starts a stand-in; on any free port where that is 0. */
export function startMcpGateway(respond: RespondToMcp, port = 0): Promise<McpGateway> {
  return startHttpServer((request, response) => handleMcp(request, response, respond), port);
}

/** Starts a server whose listener may be asynchronous. */
export async function startHttpServer(
  listener: (request: IncomingMessage, response: ServerResponse) => unknown,
  port = 0,
): Promise<McpGateway> {
  const server = createServer((request, response) => void listener(request, response));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: listening } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${listening}`,
    port: listening,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Responds with a problem document, as a gateway does. */
export function sendProblemDocument(
  response: ServerResponse,
  status: number,
  members: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'Content-Type': 'application/problem+json; charset=utf-8', ...headers });
  response.end(JSON.stringify({ status, requestId: 'r1', ...members }));
}

async function handleMcp(
  request: IncomingMessage,
  response: ServerResponse,
  respond: RespondToMcp,
): Promise<void> {
  const { headers, url: path = '' } = request;
  const body = await text(request);
  if (headers['x-api-key'] !== MCP_KEY) {
    const detail = 'This API key is unknown or has expired.';
    sendProblemDocument(response, 401, { title: 'Invalid API key', code: 'API_KEY_INVALID', detail });
    return;
  }
  const closed = new AbortController();
  response.once('close', () => {
    closed.abort();
  });
  const { serverInfo, instructions } = MCP_INTRODUCTION;
  const handler = createMcpHandler(() => {
    const mcpServer = new McpServer(serverInfo, { instructions });
    mcpServer.server.registerCapabilities({ tools: {}, resources: {} });
    mcpServer.server.fallbackRequestHandler = async ({ method, params = {} }) =>
      respond({ method, params, path, headers, signal: closed.signal });
    return mcpServer;
  });
  const init = { method: 'POST', headers: headers as Record<string, string>, body };
  const result = await handler.fetch(new Request(`http://127.0.0.1${path}`, init));
  response.writeHead(result.status, Object.fromEntries(result.headers));
  response.end(await result.text());
}
