import { Command } from 'commander';

import { EXIT_CODES_HELP } from './exit-codes.js';
import { withProjectOption } from './project-option.js';
import { runCommand } from './run-command.js';
import type { OpenApiOptions } from './run-openapi.js';

/** `querygate openapi`: prints the OpenAPI document. */
export function openApiCommand(): Command {
  return withProjectOption(new Command('openapi'))
    .description('Prints the gateway’s OpenAPI document, generated from the endpoint definitions.')
    .option('--out <file>', 'write to a file instead')
    .option(
      '--server-url <url>',
      'URL of the gateway for callers; default: PUBLIC_URL, or relative to the document',
    )
    .addHelpText('after', `\nExample:\n  querygate openapi --out openapi.json\n${EXIT_CODES_HELP}`)
    .action((options: OpenApiOptions) =>
      runCommand(async () => {
        const { runOpenApi } = await import('./run-openapi.js');
        await runOpenApi(options);
      }),
    );
}
