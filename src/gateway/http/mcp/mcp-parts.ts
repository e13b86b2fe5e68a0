import type { ApiParts } from '../api-parts.js';
import type { Tools } from './tools.js';

/** The options of MCP. */
export interface McpOptions {
  /** Bytes of the rows of a tool's result. */
  readonly maxToolBytes: number;
  /** The issuer of tokens, where OAuth clients can look it up; undefined: there is no metadata for them. */
  readonly authorizationServer: string | undefined;
  /** IP addresses and ranges of the proxies that report by which URL a client reaches the gateway. */
  readonly trustProxy: readonly string[];
  /** Called for a failure of the SDK, which the response reports without its text. */
  readonly onError: (error: Error) => void;
}

/** What serves MCP. */
export interface McpParts extends ApiParts, McpOptions {
  readonly tools: Tools;
}
