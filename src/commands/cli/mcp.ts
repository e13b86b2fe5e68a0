import { Command } from 'commander';

import { mcpInstallation } from '../../package-files.js';
import { CommandError, EXIT, EXIT_BY_SIGNAL } from './exit-codes.js';
import { gatewayOf, withGatewayOptions, type GatewayOptions } from './gateway.js';
import { collect } from './option-values.js';

/**
 * `querygate mcp`: offers the endpoints of a running gateway to an MCP client that starts this command. A signal is its usual
 * end, and no failure, so it does not run as other commands do.
 */
export function mcpCommand(): Command {
  return withGatewayOptions(new Command('mcp'))
    .description('Connects an MCP client that starts programs, such as a desktop application, to a gateway.')
    .option('--tag <tag>', 'only endpoints with this tag, or one of several; may be repeated', collect)
    .addHelpText('after', HELP)
    .action((options: McpOptions) => runMcp(options));
}

/** The options of `querygate mcp`, as commander parses them. */
interface McpOptions extends GatewayOptions {
  readonly tag?: readonly string[];
}

/**
 * Bridges standard input and output to a gateway's `POST /mcp` until standard input ends or a signal arrives. Ends the process.
 *
 * @throws CommandError where an option is invalid or the MCP SDK is not installed.
 */
async function runMcp({ tag = [], ...options }: McpOptions): Promise<void> {
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

const HELP = `
Speaks the Model Context Protocol on standard input and output, and sends each request to POST /mcp of the gateway; --url may
end in /mcp. The command starts without a gateway and stays when the gateway stops: each request tries again, and the error
says what is wrong. Standard error has the same messages.

Other users of the machine can see a key on the command line; prefer QUERYGATE_KEY.

Examples:
  QUERYGATE_KEY=secret querygate mcp --url https://gateway.example.com
  querygate mcp --tag sales --tag stock

Exit codes: 0 standard input ended, or SIGINT or SIGTERM; 1 the packages of the MCP SDK are not installed; 2 invalid usage.`;
