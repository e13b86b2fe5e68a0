import { writeFile } from 'node:fs/promises';
import { Command } from 'commander';

import { describeApi } from '../http/describe-api.js';
import { readVersion } from '../read-version.js';
import { deployedEndpoints } from './deployed-endpoints.js';
import { EXIT_CODES_HELP } from './exit-codes.js';
import { runCommand, runWhenMain } from './run-command.js';

interface OpenApiOptions {
  readonly out?: string;
  readonly serverUrl?: string;
}

/** Writes the description of the whole API, as a key with every right sees it. */
async function writeDocument({ out, serverUrl }: OpenApiOptions): Promise<void> {
  const document = describeApi({
    endpoints: (await deployedEndpoints()).all(),
    version: readVersion(),
    ...(serverUrl !== undefined && { serverUrl }),
  });
  const text = `${JSON.stringify(document, undefined, 2)}\n`;
  if (out === undefined) process.stdout.write(text);
  else await writeFile(out, text);
}

/** `querygate openapi`. */
export function openApiCommand(): Command {
  return new Command('openapi')
    .description('Prints the OpenAPI document of the gateway, made from the endpoint definitions.')
    .option('--out <file>', 'write it to a file instead')
    .option('--server-url <url>', 'where callers reach the gateway; else as seen from the document')
    .addHelpText('after', `\nExample:\n  querygate openapi --out openapi.json\n${EXIT_CODES_HELP}`)
    .action((options: OpenApiOptions) => runCommand(() => writeDocument(options)));
}

await runWhenMain(import.meta.url, openApiCommand);
