import { Command } from 'commander';

import { withPort, withPortOption, type PortOption } from './port-option.js';
import { withProjectOption } from './project-option.js';

/** `querygate serve`: runs the gateway, as `npm start` does. */
export function serveCommand(): Command {
  return withPortOption(withProjectOption(new Command('serve')))
    .description('Serves the endpoints over HTTP until SIGTERM or SIGINT.')
    .addHelpText(
      'after',
      `
Environment variables are the configuration (CLICKHOUSE_URL, API_KEY, PORT …; see docs/reference/configuration.md).
Without CLICKHOUSE_URL the gateway starts an embedded ClickHouse with demonstration data.

Examples:
  querygate serve
  API_KEY=secret querygate serve --port 9000
  CLICKHOUSE_URL=http://clickhouse:8123 CLICKHOUSE_USER=querygate API_KEYS_FILE=keys.yaml querygate serve

Exit codes: 0 stopped; 1 can’t start, or a part did not close; 2 invalid usage.`,
    )
    .action(async (options: PortOption) => {
      // Imported here, so that the help need not load the gateway's modules.
      const { serve } = await import('../../gateway/server/serve.js');
      await serve(withPort(process.env, options));
    });
}
