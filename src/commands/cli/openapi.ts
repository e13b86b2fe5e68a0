import { Command } from 'commander';

import { replaceFile } from '../../files/replace-file.js';
import { readConfig } from '../../gateway/config/config.js';
import { openApiDocument } from '../../gateway/http/describe/openapi/openapi-document.js';
import { loadProjectEndpoints } from '../../gateway/server/project-endpoints.js';
import { readVersion } from '../../package-files.js';
import { EXIT_CODES_HELP } from './exit-codes.js';
import { withProjectOption } from './project-option.js';
import { runCommand } from './run-command.js';

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
    .action((options: OpenApiOptions) => runCommand(() => runOpenApi(options)));
}

interface OpenApiOptions {
  readonly out?: string;
  readonly serverUrl?: string;
}

/** Writes the OpenAPI document with all endpoints. */
async function runOpenApi({ out, serverUrl }: OpenApiOptions): Promise<void> {
  const config = readConfig(process.env);
  const document = openApiDocument({
    endpoints: (await loadProjectEndpoints(config)).all(),
    version: readVersion(),
    serverUrl: serverUrl ?? config.publicUrl,
  });
  const text = `${JSON.stringify(document, undefined, 2)}\n`;
  if (out === undefined) process.stdout.write(text);
  else await replaceFile(out, text);
}
