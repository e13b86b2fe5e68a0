import { mcpInstallation } from '../../package-files.js';
import { CommandError, EXIT, EXIT_BY_SIGNAL } from './exit-codes.js';
import { gatewayOf, type GatewayOptions } from './gateway-options.js';

/** The options of `querygate mcp`, as commander parses them. */
export interface McpOptions extends GatewayOptions {
  readonly tag?: readonly string[];
}

/**
 * Bridges standard input and output to a gateway's `POST /mcp` until standard input ends or a signal arrives. Ends the process.
 *
 * @throws CommandError where an option is invalid or the MCP SDK is not installed.
 */
export async function runMcp({ tag = [], ...options }: McpOptions): Promise<void> {
  const { url, apiKey } = gatewayOf(options);
  const { bridge } = await import('./mcp/bridge.js').catch(throwMissing);
  const ended = new AbortController();
  for (const name of Object.keys(EXIT_BY_SIGNAL)) {
    process.once(name, () => {
      ended.abort();
    });
  }
  // MCP clients are often configured with the URL of the MCP endpoint itself.
  await bridge({ gateway: { url: url.replace(/\/+mcp$/, ''), apiKey }, tags: tag }, ended.signal);
  // An attempt to connect, which no signal aborts, must not keep the process alive.
  process.exit(EXIT.ok);
}

/** @throws CommandError that names the packages where one is missing, else the error itself. */
function throwMissing(error: unknown): never {
  if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
  throw new CommandError(`The MCP SDK is not installed. Run: ${mcpInstallation()}`, EXIT.failed, {
    cause: error,
  });
}
