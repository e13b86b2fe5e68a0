import {
  Client,
  ProtocolError,
  StreamableHTTPClientTransport,
  type DiscoverResult,
  type FetchLike,
  type Result,
  type StandardSchemaV1,
} from '@modelcontextprotocol/client';

import { readVersion } from '../../../package-files.js';
import type { Gateway } from '../gateway-options.js';
import {
  GatewayError,
  incompleteError,
  invalidResponseError,
  responseError,
  unreachableError,
} from './gateway-error.js';

/** Endpoints of a gateway to offer. */
export interface BridgedGateway {
  readonly gateway: Gateway;
  /** Only endpoints with one of these tags; all where empty. */
  readonly tags: readonly string[];
}

/** An MCP request to forward. */
export interface ForwardedRequest {
  readonly method: string;
  readonly params?: Record<string, unknown> | undefined;
}

/** Sends an MCP request to the gateway. Rejects with an error that has the code, message and data of a JSON-RPC error. */
export type SendToGateway = (request: ForwardedRequest, signal: AbortSignal) => Promise<Result>;

/**
 * What a gateway would respond to `server/discover`, as far as the client needs it: a connection that begins with this needs no
 * request, so that the bridge starts without a gateway. Every gateway with `POST /mcp` supports the revision, whose cancellation
 * closes the HTTP request.
 */
const DISCOVERED: DiscoverResult = {
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {}, resources: {} },
};

/** The deadline of a request is the gateway's, and the MCP client's; this is the longest that a timer has. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** Returns the function that sends requests to the gateway, each of which is independent of all others. */
export async function connectGateway({ gateway, tags }: BridgedGateway): Promise<SendToGateway> {
  const url = new URL(`${gateway.url}/mcp`);
  for (const tag of tags) url.searchParams.append('tag', tag);
  const headers = {
    'User-Agent': 'querygate-mcp',
    ...(gateway.apiKey !== undefined && { 'X-API-KEY': gateway.apiKey }),
  };
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers },
    fetch: fetchMessage(gateway),
  });
  const client = new Client({ name: 'querygate-mcp', version: readVersion() });
  await client.connect(transport, { prior: { kind: 'modern', discover: DISCOVERED } });
  return async ({ method, params }, signal) => {
    try {
      const request = { method, ...(params !== undefined && { params }) };
      return await client.request(request, ANY_RESULT, { signal, timeout: NO_TIMEOUT_MS });
    } catch (error) {
      throw errorOf(gateway, error);
    }
  };
}

/** Leaves a result as it is: the gateway is trusted. */
const ANY_RESULT: StandardSchemaV1<Result> = {
  '~standard': { version: 1, vendor: 'querygate', validate: (value) => ({ value: value as Result }) },
};

/** Sends an HTTP request. @throws GatewayError where the response is not a JSON-RPC message with status 200 */
function fetchMessage(gateway: Gateway): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init).catch((error: unknown) => {
      init?.signal?.throwIfAborted();
      throw unreachableError(gateway, error);
    });
    const type = response.headers.get('content-type') ?? '';
    if (response.status === 200 && /^application\/json\b/.test(type)) return response;
    throw await responseError(gateway, response);
  };
}

/** The error of a failed request, for the MCP client. */
function errorOf(gateway: Gateway, error: unknown): Error {
  if (error instanceof GatewayError || error instanceof ProtocolError) return error;
  // What fetch throws while the body arrives.
  return error instanceof TypeError ? incompleteError(gateway, error) : invalidResponseError(gateway, error);
}
