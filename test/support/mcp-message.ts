import type { Revision } from './mcp-client.js';

/** A request of MCP as a client of a revision sends it. */
export interface McpRequest {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly id?: unknown;
}

/** The body and the headers of an HTTP request. */
export interface HttpMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const COMMON = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
} as const;

/** What each request of the current revision says of its client. */
export const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'querygate-test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
} as const;

/** Writes a request by hand, for tests that send what no client sends. */
export function httpMessage(revision: Revision, { method, params = {}, id = 1 }: McpRequest): HttpMessage {
  const headers = { ...COMMON, 'MCP-Protocol-Version': revision };
  if (revision === '2025-11-25') {
    return { headers, body: JSON.stringify({ jsonrpc: '2.0', id, method, params }) };
  }
  const { name, uri = name } = params;
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: ENVELOPE } });
  const routing = { 'Mcp-Method': method, ...(typeof uri === 'string' && { 'Mcp-Name': uri }) };
  return { headers: { ...headers, ...routing }, body };
}

/** The bytes of an HTTP request, for a socket. Without another header that says so, it has the length of its body. */
export function rawRequest(headers: Readonly<Record<string, string>>, body: string | Buffer): Buffer {
  const bytes = Buffer.from(body);
  const length = 'Transfer-Encoding' in headers ? {} : { 'Content-Length': String(bytes.length) };
  const lines = Object.entries({ Host: 'gateway', ...length, ...headers });
  const head = ['POST /mcp HTTP/1.1', ...lines.map(([name, value]) => `${name}: ${value}`)];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytes]);
}
