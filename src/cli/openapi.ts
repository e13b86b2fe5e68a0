import { Command } from 'commander';

import { EXIT_CODES_HELP } from './exit-codes.js';
import { runCommand, runWhenMain } from './run-command.js';
import type { OpenApiOptions } from './run-openapi.js';

/** `querygate openapi`. */
export function openApiCommand(): Command {
  return new Command('openapi')
    .description('Prints the OpenAPI document of the gateway, made from the endpoint definitions.')
    .option('--out <file>', 'write it to a file instead')
    .option('--server-url <url>', 'where callers reach the gateway; else as seen from the document')
    .addHelpText('after', `\nExample:\n  querygate openapi --out openapi.json\n${EXIT_CODES_HELP}`)
    .action((options: OpenApiOptions) =>
      runCommand(async () => {
        const { runOpenApi } = await import('./run-openapi.js');
        await runOpenApi(options);
      }),
    );
}

await runWhenMain(import.meta.url, openApiCommand);
