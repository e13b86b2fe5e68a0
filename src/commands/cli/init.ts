import { Command } from 'commander';

import { EXIT_CODES_HELP } from './exit-codes.js';
import { collect } from './option-values.js';
import { runCommand } from './run-command.js';
import type { InitOptions } from './run-init.js';

/** `querygate init`: writes a project. */
export function initCommand(): Command {
  return new Command('init')
    .description('Writes a small project that runs at once, or one over the tables of a ClickHouse.')
    .argument('[folder]', 'the project’s folder; it need not exist', '.')
    .option('--from <url>', 'write endpoints for a ClickHouse, such as https://reader@clickhouse:8443/shop')
    .option('--table <name>', 'with --from, a table or view: NAME or DATABASE.NAME; repeatable', collect)
    .option('--user <name>', 'with --from (default: the URL’s, else CLICKHOUSE_USER)')
    .option('--password <text>', 'with --from (default: the URL’s, else CLICKHOUSE_PASSWORD)')
    .addHelpText('after', HELP)
    .action((folder: string, options: InitOptions) =>
      runCommand(async (signal) => {
        const { runInit } = await import('./run-init.js');
        await runInit(folder, options, signal);
      }),
    );
}

const HELP = `
Writes endpoints, a table, demonstration data, package.json, tsconfig.json, README.md, docker-compose.yml, .env.example and
.gitignore, and prints each. Nothing is overwritten: a file that exists is kept. Where the folder has endpoints, schema files
or demonstration data of its own, no others are added.

With --from it asks a ClickHouse, and changes nothing there. It writes an endpoint for each --table, and for each
parameterised view of the URL’s database (else CLICKHOUSE_DATABASE, else default). What could not be carried over is listed
with the reason. The password is in no file; other users of this machine can see a --password, and a password in the URL: prefer the variable.

Examples:
  querygate init shop
  CLICKHOUSE_PASSWORD=secret querygate init shop --from https://clickhouse:8443/shop --user reader --table orders
${EXIT_CODES_HELP}`;
