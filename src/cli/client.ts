import { writeFile } from 'node:fs/promises';
import { Command } from 'commander';

import { generateClient } from '../client-generator/generate-client.js';
import { readVersion } from '../read-version.js';
import { deployedEndpoints } from './deployed-endpoints.js';
import { EXIT_CODES_HELP } from './exit-codes.js';
import { runCommand, runWhenMain } from './run-command.js';

async function writeClient({ out }: { readonly out: string }): Promise<void> {
  const endpoints = (await deployedEndpoints()).all();
  await writeFile(out, generateClient(endpoints, readVersion()));
  process.stderr.write(`Wrote ${out}: a client with ${endpoints.length} functions.\n`);
}

/** `querygate client`. */
export function clientCommand(): Command {
  return new Command('client')
    .description('Writes a typed client of the endpoints as one TypeScript module without dependencies.')
    .option('--out <file>', 'where to write it', 'querygate-client.ts')
    .addHelpText('after', `\nExample:\n  querygate client --out src/querygate-client.ts\n${EXIT_CODES_HELP}`)
    .action((options: { readonly out: string }) => runCommand(() => writeClient(options)));
}

await runWhenMain(import.meta.url, clientCommand);
