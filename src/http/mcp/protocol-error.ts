import { Failure } from '../../errors.js';
import type { RequestContext } from '../request-context.js';

/** Codes of JSON-RPC 2.0, section 5.1. */
export const JSON_RPC = { methodNotFound: -32_601, invalidParams: -32_602 } as const;

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
 */
export function noteError(context: RequestContext, status: number, body: Buffer): void {
  const hasNone = body.length === 0 || body.subarray(0, RESULT.length).equals(RESULT);
  if (hasNone || context.failure !== undefined) return;
  const { error } = JSON.parse(body.toString()) as { readonly error?: { readonly code?: unknown } };
  if (!error) return;
  context.failure = new Failure(codeOf(error.code), 'The message is not valid.');
  if (status < 400) context.isFailureInBody = true;
}

function codeOf(code: unknown): Failure['code'] {
  return code === JSON_RPC.methodNotFound ? 'NOT_FOUND' : 'BAD_REQUEST';
}
