import { Failure } from '../../errors.js';
import type { RequestContext } from '../transport/request-context.js';

/** Error codes of JSON-RPC 2.0 (section 5.1) and of MCP. */
export const JSON_RPC = {
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  /** Error of the HTTP transport. */
  transport: -32_000,
  headerMismatch: -32_020,
  unsupportedVersion: -32_022,
} as const;

const METHODS = 'tools/list, tools/call, resources/list, resources/templates/list or resources/read';

/** Messages by code. They replace the SDK's text, which can be a dump of its validator, and repeats values of the request. */
const SENTENCES: Readonly<Record<number, string>> = {
  [JSON_RPC.invalidRequest]:
    'The message must be a request or notification of JSON-RPC 2.0, whose id is a string or an integer, and whose params are an object.',
  [JSON_RPC.methodNotFound]: `The gateway has no such method: send ${METHODS}.`,
  [JSON_RPC.invalidParams]:
    'The params must be those that the revision of the protocol has for this method, with the _meta that it requires.',
  [JSON_RPC.transport]:
    'The gateway takes requests that accept application/json and text/event-stream, in a revision that it supports.',
  [JSON_RPC.headerMismatch]:
    'The headers MCP-Protocol-Version, Mcp-Method and Mcp-Name must be there, and equal what the body says.',
  [JSON_RPC.unsupportedVersion]: 'The protocol version must be one of those in the data of this error.',
};

/** A JSON-RPC error in the SDK's form. */
interface RpcError {
  readonly code: number;
  /** Data for programs: the supported revisions of the protocol. */
  readonly data?: { readonly supported?: readonly string[] };
}

/** An error of the protocol, not of a tool: the SDK sends its `code`, message and `data` as the JSON-RPC error. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly code = JSON_RPC.invalidParams;

  /**
   * @param failure the failure for the log.
   * @param data data for programs; absent in the response where undefined.
   */
  constructor(
    readonly failure: Failure,
    readonly data?: Readonly<Record<string, string>>,
  ) {
    super(failure.message);
  }
}

/** The start of the SDK's response without an error. */
const RESULT = Buffer.from('{"result":');

/**
 * Records for the log the failure that a response reports, because its status can be 200. A failure that is not recorded yet is the
 * SDK's: a rejected message.
 *
 * @returns the response with a plain sentence in place of the SDK's text.
 */
export function noteError(context: RequestContext, response: Buffer, status: number): Buffer {
  const hasNone = response.length === 0 || response.subarray(0, RESULT.length).equals(RESULT);
  if (hasNone || context.failure !== undefined) return response;
  const { error, ...envelope } = JSON.parse(response.toString()) as { readonly error?: RpcError };
  if (!error) return response;
  // The SDK uses this code for params that its validator rejects. Failures within the gateway have been recorded before.
  const code = error.code === JSON_RPC.internalError ? JSON_RPC.invalidParams : error.code;
  const message = SENTENCES[code] ?? 'The message is not one that the gateway takes.';
  context.failure = new Failure(code === JSON_RPC.methodNotFound ? 'NOT_FOUND' : 'BAD_REQUEST', message);
  if (status < 400) context.isFailureInBody = true;
  const { data } = error;
  return Buffer.from(
    JSON.stringify({ ...envelope, error: { code, message, ...(data?.supported && { data }) } }),
  );
}
