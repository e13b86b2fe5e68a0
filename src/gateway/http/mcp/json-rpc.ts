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

/** An error of JSON-RPC, as the SDK writes it. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: ErrorData;
}

/** What the SDK says for programs. */
export interface ErrorData {
  /** What each request of a revision must say of its client: the members that are missing, or the invalid one. */
  readonly envelope?: {
    readonly missing?: readonly string[];
    readonly key?: string;
    readonly problem?: string;
  };
  /** Revisions of the protocol. */
  readonly supported?: readonly string[];
}
