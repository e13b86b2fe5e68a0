import { Command } from 'commander';

import { EXIT_CODES_HELP } from './exit-codes.js';
import { withProjectOption } from './project-option.js';
import { runCommand } from './run-command.js';
import type { EndpointsOptions } from './run-endpoints.js';

/** `querygate endpoints`: lists the endpoints of the project. */
export function endpointsCommand(): Command {
  return withProjectOption(new Command('endpoints'))
    .description('Lists the endpoints of the project, without ClickHouse.')
    .option('--json', 'print the list as JSON')
    .addHelpText('after', HELP)
    .action((options: EndpointsOptions) =>
      runCommand(async () => {
        const { runEndpoints } = await import('./run-endpoints.js');
        await runEndpoints(options);
      }),
    );
}

const HELP = `
A parameter with * is required. Caching and warming are seconds, as in this deployment: ENDPOINT_SETTINGS_FILE counts.

Examples:
  querygate endpoints
  querygate endpoints --project ./my-project --json
${EXIT_CODES_HELP}`;
