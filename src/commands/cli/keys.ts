import { Command } from 'commander';

import { EXIT_CODES_HELP } from './exit-codes.js';
import type { RightsOptions } from './keys-options.js';
import { httpUrl } from './option-values.js';
import { withProjectOption } from './project-option.js';
import { runCommand } from './run-command.js';
import { add, link, list, revoke, rotate, type FileOption, type LinkOptions } from './run-keys.js';

/** `querygate keys`: manages the API keys file. */
export function keysCommand(): Command {
  const program = new Command('keys').description('Manages the API keys in API_KEYS_FILE.').addHelpText(
    'after',
    `
Examples:
  querygate keys add grafana --file keys.yaml
  querygate keys add tenant --endpoints 'orders.*,stock.newest' --fixed shop=north --requests 600/60
  querygate keys list --json
  querygate keys rotate grafana && querygate keys rotate grafana --finish
${EXIT_CODES_HELP}`,
  );
  for (const command of [addCommand(), listCommand(), rotateCommand(), revokeCommand(), linkCommand()]) {
    program.addCommand(
      withProjectOption(command).option(
        '--file <path>',
        'the keys file; JSON or YAML by its extension (default: API_KEYS_FILE)',
      ),
    );
  }
  return program;
}

function addCommand(): Command {
  return new Command('add')
    .description('Creates a key, prints it once and stores its SHA-256.')
    .argument('<name>', 'who the key is for: letters, digits, _ . @ -')
    .option(
      '--endpoints <list>',
      'endpoints that it may call: names, ids or patterns (orders.*), with commas; by default all except gateway.*',
    )
    .option('--fixed <name=value...>', 'pinned parameters: this key gets no other value')
    .option('--expires <date>', 'when the key expires: ISO 8601, such as 2027-01-01; UTC if it names no zone')
    .option('--address <range...>', 'IP addresses or ranges from which it may be used')
    .option('--requests <amount/seconds>', 'requests in a window, such as 600/60')
    .option('--rows-read <amount/seconds>', 'rows that ClickHouse may read for it in a window')
    .option('--bytes-read <amount/seconds>', 'bytes that ClickHouse may read for it in a window')
    .option('--clickhouse-ms <amount/seconds>', 'milliseconds in ClickHouse in a window')
    .option('--concurrent <number>', 'concurrent queries in ClickHouse')
    .option('--may-bypass-cache', 'honour Cache-Control: no-cache and only-if-cached')
    .option('--may-export', 'accept export=1 where an endpoint has exports')
    .option('--may-link', 'let the key sign links itself, by POST /api/links')
    .option('--may-use-query-string', 'accept the key as ?api_key=')
    .addHelpText('after', '\nExample:\n  querygate keys add grafana --expires 2027-01-01 --requests 600/60')
    .action((name: string, options: RightsOptions & FileOption) => runCommand(() => add(name, options)));
}

function listCommand(): Command {
  return new Command('list')
    .description('Lists the keys and their rights; never a key or its hash.')
    .option('--json', 'print the list as JSON')
    .addHelpText('after', '\nExample:\n  querygate keys list --json')
    .action((options: FileOption & { readonly json?: boolean }) => runCommand(() => list(options)));
}

function rotateCommand(): Command {
  return new Command('rotate')
    .description('Creates a second key for a name, so that callers can switch without downtime.')
    .argument('<name>', 'the key’s name in the file')
    .option('--finish', 'remove the older key instead')
    .addHelpText(
      'after',
      '\nExamples:\n  querygate keys rotate grafana\n  querygate keys rotate grafana --finish',
    )
    .action((name: string, options: FileOption & { readonly finish?: boolean }) =>
      runCommand(() => rotate(name, options)),
    );
}

function revokeCommand(): Command {
  return new Command('revoke')
    .description('Removes a name and its keys.')
    .argument('<name>', 'the key’s name in the file')
    .addHelpText('after', '\nExample:\n  querygate keys revoke grafana')
    .action((name: string, options: FileOption) => runCommand(() => revoke(name, options)));
}

function linkCommand(): Command {
  return new Command('link')
    .description(
      'Prints a link to one endpoint with fixed parameters until it expires, signed with LINK_SECRET.',
    )
    .requiredOption('--key <name>', 'the key whose rights and limits apply')
    .requiredOption('--endpoint <endpoint>', 'name or id')
    .option('--param <name=value...>', 'parameters of the endpoint')
    .requiredOption('--expires-in <time>', 'such as 12h or 7d; at most LINK_MAX_DAYS (90 days by default)')
    .option(
      '--base-url <url>',
      'URL of the gateway for callers; default: PUBLIC_URL; with neither only the path is printed',
      httpUrl,
    )
    .addHelpText(
      'after',
      '\nExample:\n  querygate keys link --key grafana --endpoint orders.by-day --param since=2026-05-01 --expires-in 7d --base-url https://gateway.example.com',
    )
    .action((options: LinkOptions) => runCommand(() => link(options)));
}
