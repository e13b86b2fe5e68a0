import type { ApiParts } from '../api-parts.js';
import type { Tools } from './tools.js';

/** The options of MCP. */
export interface McpOptions {
  /** Maximum bytes of the rows of a tool's result. */
  readonly maxToolBytes: number;
  /** URL of the issuer of tokens, where OAuth clients can find its metadata; undefined: no metadata is served. */
  readonly authorizationServer: string | undefined;
  /** IP addresses and ranges of the proxies that report the URL by which a client reaches the gateway. */
  readonly trustProxy: readonly string[];
  /** Called for a failure of the SDK. The response does not contain its text. */
  readonly onError: (error: Error) => void;
}

/** The parts of a gateway that serve MCP. */
export interface McpParts extends ApiParts, McpOptions {
  readonly tools: Tools;
}
