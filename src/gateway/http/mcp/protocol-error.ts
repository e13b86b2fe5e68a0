import { Failure } from '../../errors.js';
import type { RequestContext } from '../transport/request-context.js';

/** Codes of JSON-RPC 2.0, section 5.1, and of MCP. */
export const JSON_RPC = {
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  /** Of the HTTP transport. */
  transport: -32_000,
  headerMismatch: -32_020,
  unsupportedVersion: -32_022,
} as const;

const METHODS = 'tools/list, tools/call, resources/list, resources/templates/list or resources/read';

/** What is expected, by the code of the SDK's error, whose text can be a dump of its validator, and repeats values of the request. */
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

/** An error of JSON-RPC, as the SDK writes it. */
interface RpcError {
  readonly code: number;
  /** For programs: the revisions of the protocol. */
  readonly data?: { readonly supported?: readonly string[] };
}

/** An error of the protocol, not of a tool: the SDK sends its `code`, message and `data` as the JSON-RPC error. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly code = JSON_RPC.invalidParams;

  /**
   * @param failure what the log says.
   * @param data for programs; absent in the response where it is undefined.
   */
  constructor(
    readonly failure: Failure,
    readonly data?: Readonly<Record<string, string>>,
  ) {
    super(failure.message);
  }
}

/** With which the SDK begins a response without an error. */
const RESULT = Buffer.from('{"result":');

/**
 * Records the failure that a response reports, for the log: its status can be 200. What is not recorded yet is the SDK's, which
 * rejects messages only.
 *
 * @returns the response with a plain sentence in place of the SDK's text.
 */
export function noteError(context: RequestContext, response: Buffer, status: number): Buffer {
  const hasNone = response.length === 0 || response.subarray(0, RESULT.length).equals(RESULT);
  if (hasNone || context.failure !== undefined) return response;
  const { error, ...envelope } = JSON.parse(response.toString()) as { readonly error?: RpcError };
  if (!error) return response;
  // So the SDK calls params that its validator rejects. What fails in the gateway is recorded before.
  const code = error.code === JSON_RPC.internalError ? JSON_RPC.invalidParams : error.code;
  const message = SENTENCES[code] ?? 'The message is not one that the gateway takes.';
  context.failure = new Failure(code === JSON_RPC.methodNotFound ? 'NOT_FOUND' : 'BAD_REQUEST', message);
  if (status < 400) context.isFailureInBody = true;
  const { data } = error;
  return Buffer.from(
    JSON.stringify({ ...envelope, error: { code, message, ...(data?.supported && { data }) } }),
  );
}
