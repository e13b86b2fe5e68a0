import {
  Client,
  StreamableHTTPClientTransport,
  type DiscoverResult,
  type FetchLike,
  type Result,
  type StandardSchemaV1,
} from '@modelcontextprotocol/client';

import { readVersion } from '../../../package-files.js';
import { CommandError } from '../exit-codes.js';
import { incomplete, reasonOf, requestGateway, type Gateway } from '../gateway.js';
import { problemLines, readProblem } from '../problem-text.js';

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
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { 'User-Agent': 'querygate-mcp' } },
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

/** Sends an HTTP request. @throws an error of JSON-RPC where the response is not a JSON-RPC message with status 200 */
function fetchMessage(gateway: Gateway): FetchLike {
  return async (url, init = {}) => {
    const response = await requestGateway(gateway, url, init);
    const type = response.headers.get('content-type') ?? '';
    if (response.status === 200 && /^application\/json\b/.test(type)) return response;
    throw (await errorInBody(response.clone())) ?? (await errorOfResponse(gateway, response));
  };
}

/** JSON-RPC's code for errors that the implementation defines. */
const SERVER_ERROR = -32_000;

/** An error with the code, message and data of a JSON-RPC error. */
const rpcError = (
  message: string,
  { code = SERVER_ERROR, data }: { code?: number; data?: unknown } = {},
): Error => Object.assign(new Error(message), { code, data });

/** The JSON-RPC error in the body of a response, if it is one. The SDK itself passes on those with status 400 alone. */
async function errorInBody(response: Response): Promise<Error | undefined> {
  const body = (await response.json().catch(() => undefined)) as
    | { readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown } }
    | undefined;
  const { code, message, data } = body?.error ?? {};
  return typeof code === 'number' && typeof message === 'string'
    ? rpcError(message, { code, data })
    : undefined;
}

const NO_MCP =
  'Check --url, and that the gateway serves MCP: MCP=off disables it, and it needs the packages of MCP.';

/** The error of any other response. Reads its body. */
async function errorOfResponse({ url }: Gateway, response: Response): Promise<Error> {
  const { status, headers } = response;
  const problem = await readProblem(response);
  const [title = '', ...lines] = problemLines(response, problem);
  const text = `${[title, lines.join(' ')].join(': ')}${status === 404 ? ` ${NO_MCP}` : ''}`;
  if (!problem.document) {
    const notMcp = `The server at ${url} did not respond with an MCP message: ${text}. Check that --url is the URL of a gateway.`;
    return rpcError(notMcp, { data: { status } });
  }
  const { code, requestId } = problem.document;
  const retryAfter = headers.get('retry-after');
  const retryAfterSeconds = retryAfter === null ? undefined : Number(retryAfter);
  return rpcError(`The gateway at ${url} ${status < 500 ? 'rejected the request' : 'failed'}: ${text}`, {
    data: { status, code, requestId, retryAfterSeconds },
  });
}

/** Characters to show of an error of the SDK, which can list every alternative of a schema. */
const MAX_REASON = 300;

/** The error of a failed request, for the MCP client. */
function errorOf(gateway: Gateway, error: unknown): Error {
  if (error instanceof CommandError) return rpcError(error.message);
  if (error instanceof Error && 'code' in error && typeof error.code === 'number') return error;
  // What fetch throws while the body arrives.
  if (error instanceof TypeError) return rpcError(incomplete(gateway, error).message);
  const reason = reasonOf(error).replaceAll(/\s+/g, ' ').slice(0, MAX_REASON);
  return rpcError(
    `The response of the gateway at ${gateway.url} is not a valid MCP message: ${reason}. Check --url and the versions of gateway and bridge.`,
  );
}
