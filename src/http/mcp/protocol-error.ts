/** Codes of JSON-RPC 2.0, section 5.1. */
const CODES = { methodNotFound: -32_601, invalidParams: -32_602 } as const;

/** An error of the protocol, not of a tool: the SDK sends its `code`, message and `data` as the JSON-RPC error. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly code: number;

  /** @param data for programs; absent in the response where it is undefined. */
  constructor(
    kind: keyof typeof CODES,
    message: string,
    readonly data?: Readonly<Record<string, string>>,
  ) {
    super(message);
    this.code = CODES[kind];
  }
}
