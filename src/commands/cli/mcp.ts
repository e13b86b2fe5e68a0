import { Command } from 'commander';

import { keyOption, urlOption } from './gateway-options.js';
import { collect } from './option-values.js';
import type { McpOptions } from './run-mcp.js';

/** `querygate mcp`: offers the endpoints of a running gateway to an MCP client that starts this command. */
export function mcpCommand(): Command {
  return new Command('mcp')
    .description('Connects an MCP client that starts programs, such as a desktop application, to a gateway.')
    .addOption(urlOption())
    .addOption(keyOption())
    .option('--tag <tag>', 'only endpoints with this tag, or one of several; may be repeated', collect)
    .addHelpText('after', HELP)
    .action(async (options: McpOptions) => {
      // Not by runCommand: a signal is the usual end of this command, and no failure.
      const { runMcp } = await import('./run-mcp.js');
      await runMcp(options);
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
