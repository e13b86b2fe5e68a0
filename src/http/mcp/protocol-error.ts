/** Codes of JSON-RPC 2.0, section 5.1. */
const CODES = { methodNotFound: -32_601, invalidParams: -32_602 } as const;

/** An error of the protocol, not of a tool: the SDK sends its `code` and message as the JSON-RPC error. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly code: number;

  constructor(kind: keyof typeof CODES, message: string) {
    super(message);
    this.code = CODES[kind];
  }
}
