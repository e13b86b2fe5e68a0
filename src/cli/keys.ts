import { Command, Option } from 'commander';

import { EXIT_CODES_HELP } from './exit-codes.js';
import type { RightsOptions } from './keys-options.js';
import { httpUrl } from './option-values.js';
import { runCommand, runWhenMain } from './run-command.js';
import type { FileOption, LinkOptions } from './run-keys.js';

/** Runs one of the actions, whose modules no other command waits for. */
const run = (act: (actions: typeof import('./run-keys.js')) => Promise<void>): Promise<void> =>
  runCommand(async () => act(await import('./run-keys.js')));

/** `querygate keys`: the API keys' file. */
export function keysCommand(): Command {
  const program = new Command('keys').description('Manages the API keys in API_KEYS_FILE.').addHelpText(
    'after',
    `
Examples:
  querygate keys add grafana --file keys.yaml
  querygate keys add tenant --endpoints 'usage.*,logs.all' --fixed project=abc --requests 600/60
  querygate keys list --json
  querygate keys rotate grafana && querygate keys rotate grafana --finish
${EXIT_CODES_HELP}`,
  );
  for (const command of [addCommand(), listCommand(), rotateCommand(), revokeCommand(), linkCommand()]) {
    program.addCommand(
      command.addOption(
        new Option('--file <path>', 'the keys’ file, JSON or YAML by its ending').env('API_KEYS_FILE'),
      ),
    );
  }
  return program;
}

function addCommand(): Command {
  return new Command('add')
    .description('Makes a key, prints it once, and stores its SHA-256.')
    .argument('<name>', 'who the key is for: letters, digits, _ . @ -')
    .option(
      '--endpoints <list>',
      'names, ids or patterns (logs.*) of what it may call, with commas; absent: all',
    )
    .option('--fixed <name=value...>', 'parameters with one value for this key')
    .option('--expires <date>', 'in the future, ISO 8601, such as 2027-01-01; without a zone it is UTC')
    .option('--address <range...>', 'IP addresses or ranges that it may be used from')
    .option('--requests <amount/seconds>', 'requests in a window, such as 600/60')
    .option('--rows-read <amount/seconds>', 'rows that ClickHouse may read for it in a window')
    .option('--bytes-read <amount/seconds>', 'bytes that ClickHouse may read for it in a window')
    .option('--clickhouse-ms <amount/seconds>', 'milliseconds of ClickHouse in a window')
    .option('--concurrent <number>', 'queries in ClickHouse at a time')
    .option('--may-bypass-cache', 'heed its Cache-Control: no-cache and only-if-cached')
    .option('--may-use-query-string', 'accept it as ?api_key=')
    .addHelpText('after', '\nExample:\n  querygate keys add grafana --expires 2027-01-01 --requests 600/60')
    .action((name: string, options: RightsOptions & FileOption) => run(({ add }) => add(name, options)));
}

function listCommand(): Command {
  return new Command('list')
    .description('Shows the keys and what they may do; never a key or its hash.')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  querygate keys list --json')
    .action((options: FileOption & { readonly json?: boolean }) => run(({ list }) => list(options)));
}

function rotateCommand(): Command {
  return new Command('rotate')
    .description('Makes a second key for a name, so that it can be replaced without a gap.')
    .argument('<name>', 'as in the file')
    .option('--finish', 'end the older key instead')
    .addHelpText(
      'after',
      '\nExamples:\n  querygate keys rotate grafana\n  querygate keys rotate grafana --finish',
    )
    .action((name: string, options: FileOption & { readonly finish?: boolean }) =>
      run(({ rotate }) => rotate(name, options)),
    );
}

function revokeCommand(): Command {
  return new Command('revoke')
    .description('Removes a name with its keys.')
    .argument('<name>', 'as in the file')
    .addHelpText('after', '\nExample:\n  querygate keys revoke grafana')
    .action((name: string, options: FileOption) => run(({ revoke }) => revoke(name, options)));
}

function linkCommand(): Command {
  return new Command('link')
    .description('Prints a link that answers one question until it expires; signed with LINK_SECRET.')
    .requiredOption('--key <name>', 'whose rights and limits it has')
    .requiredOption('--endpoint <endpoint>', 'name or id')
    .option('--param <name=value...>', 'parameters of the question')
    .requiredOption('--expires-in <time>', 'such as 12h or 7d; LINK_MAX_DAYS at most (90 days)')
    .option('--base-url <url>', 'where callers reach the gateway; absent: the path alone', httpUrl)
    .addHelpText(
      'after',
      '\nExample:\n  querygate keys link --key grafana --endpoint logs.all --param project=aurora --expires-in 7d --base-url https://gateway.example.com',
    )
    .action((options: LinkOptions) => run(({ link }) => link(options)));
}

await runWhenMain(import.meta.url, keysCommand);
