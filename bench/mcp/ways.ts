import type { HttpRequest, HttpResponse } from '../measuring/http-request.js';

/** Where requests are sent, and the key that they have. */
export interface Target {
  readonly url: string;
  readonly apiKey: string;
}

/** A call of an endpoint. */
export interface EndpointCall {
  readonly endpoint: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Rows that a tool returns at most; an HTTP response has all. */
  readonly maxRows?: number;
}

/** A way to call an endpoint. */
export interface Way {
  readonly name: string;
  readonly requestFor: (target: Target, call: EndpointCall) => HttpRequest;
  /** Whether a response is a cached one. @throws Error for a failure in the body. @param sentAt milliseconds since 1970 */
  readonly isHit: (response: HttpResponse, sentAt: number) => boolean;
}

/** The revisions of the protocol that the gateway serves. */
export const REVISIONS = ['2026-07-28', '2025-11-25'] as const;
export type Revision = (typeof REVISIONS)[number];

const JSON_TYPE = { 'Content-Type': 'application/json' };
const isRestHit = ({ headers }: HttpResponse): boolean => headers['x-cache'] === 'HIT';

/** A GET, whose hits the fast path serves. */
export const GET: Way = {
  name: '`GET`',
  requestFor: ({ url, apiKey }, { endpoint, parameters }) => ({
    url: `${url}/api/endpoints/query/${endpoint}?${new URLSearchParams(parameters).toString()}`,
    method: 'GET',
    headers: { 'X-API-KEY': apiKey },
  }),
  isHit: isRestHit,
};

/** A POST, which the application serves, as it serves `/mcp`. */
export const POST: Way = {
  name: '`POST`',
  requestFor: ({ url, apiKey }, { endpoint, parameters }) => ({
    url: `${url}/api/endpoints/query/${endpoint}`,
    method: 'POST',
    headers: { 'X-API-KEY': apiKey, ...JSON_TYPE },
    body: JSON.stringify(parameters),
  }),
  isHit: isRestHit,
};

/** `tools/call` in each revision. */
export const MCP: readonly Way[] = REVISIONS.map((revision) => ({
  name: `MCP ${revision}`,
  requestFor: (target, { endpoint, parameters, maxRows }) =>
    mcpRequest(target, revision, 'tools/call', {
      name: endpoint.replaceAll('.', '_'),
      arguments: { ...parameters, ...(maxRows !== undefined && { max_rows: maxRows }) },
    }),
  isHit: ({ body }, sentAt) => Date.parse(createdAtIn(body)) < sentAt,
}));

/** A message of MCP, as the official client sends it. @param query of the URL */
export function mcpRequest(
  { url, apiKey }: Target,
  revision: Revision,
  method: 'tools/call' | 'tools/list',
  params: Readonly<Record<string, unknown>> & { readonly name?: string } = {},
  query = '',
): HttpRequest {
  const isModern = revision === '2026-07-28';
  return {
    url: `${url}/mcp${query}`,
    method: 'POST',
    headers: {
      'X-API-KEY': apiKey,
      ...JSON_TYPE,
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': revision,
      ...(isModern && {
        'Mcp-Method': method,
        ...(params.name !== undefined && { 'Mcp-Name': params.name }),
      }),
    },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method },
      params: { ...params, ...(isModern && { _meta: ENVELOPE }) },
    }),
  };
}

/** What the current revision has in each message instead of an `initialize` request. */
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

function createdAtIn(body: Buffer): string {
  const { result } = JSON.parse(body.toString()) as {
    readonly result?: { readonly isError?: boolean; readonly structuredContent?: { createdAt: string } };
  };
  const { isError, structuredContent } = result ?? {};
  if (isError === true || !structuredContent)
    throw new Error(`a tool failed: ${body.toString('utf8', 0, 300)}`);
  return structuredContent.createdAt;
}
