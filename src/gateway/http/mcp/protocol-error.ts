import { Failure } from '../../errors.js';
import type { RequestContext } from '../transport/request-context.js';
import { JSON_RPC, plainError, type Rejected, type RpcError } from './plain-error.js';

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

/** A response of the SDK, and what it responds to. */
interface Responded extends Rejected {
  readonly response: Buffer;
}

/**
 * Records the failure that a response reports, for the log: its status can be 200. What is not recorded yet is the SDK's, which
 * rejects messages only.
 *
 * @returns the response with a plain sentence in place of the SDK's text.
 */
export function noteError(context: RequestContext, { response, ...rejected }: Responded): Buffer {
  const hasNone = response.length === 0 || response.subarray(0, RESULT.length).equals(RESULT);
  if (hasNone || context.failure !== undefined) return response;
  const { error, ...envelope } = JSON.parse(response.toString()) as { readonly error?: RpcError };
  if (!error) return response;
  const plain = plainError(error, rejected);
  context.failure = new Failure(codeOf(plain.code), plain.message);
  if (rejected.status < 400) context.isFailureInBody = true;
  return Buffer.from(JSON.stringify({ ...envelope, error: plain }));
}

function codeOf(code: number): Failure['code'] {
  return code === JSON_RPC.methodNotFound ? 'NOT_FOUND' : 'BAD_REQUEST';
}
