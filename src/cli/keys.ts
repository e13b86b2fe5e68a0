import { Command, Option } from 'commander';

import { readConfig } from '../config/config.js';
import { validateParameters } from '../execution/validate-parameters.js';
import { checkKeysAgainst } from '../keys/check-keys.js';
import { applyFixed } from '../keys/fixed-parameters.js';
import { holderOf, readKeyFile } from '../keys/key-file.js';
import { Links } from '../keys/links.js';
import { addKey, finishRotation, keyNamed, revokeKey, rotateKey } from '../keys/manage-keys.js';
import { EXIT_CODES_HELP, usageError } from './exit-codes.js';
import { keysTable, listedKeys } from './keys-list.js';
import { durationMs, pairsOf, rightsOf, type RightsOptions } from './keys-options.js';
import { deployedEndpoints } from './deployed-endpoints.js';
import { endpointNamed } from './endpoint-named.js';
import { httpUrl } from './option-values.js';
import { runCommand, runWhenMain } from './run-command.js';

interface FileOption {
  readonly file?: string;
}

interface LinkOptions extends FileOption {
  readonly key: string;
  readonly endpoint: string;
  readonly param?: readonly string[];
  readonly expiresIn: string;
  readonly baseUrl?: string;
}

async function add(name: string, options: RightsOptions & FileOption): Promise<void> {
  const file = fileOf(options);
  const now = new Date();
  const rights = rightsOf(options, now);
  const endpoints = (await deployedEndpoints()).all();
  const key = await addKey(
    file,
    { name, ...rights },
    {
      now,
      check: (added) => {
        checkKeysAgainst(added, endpoints);
      },
    },
  );
  show(`Added ${name} to ${file}.`, key);
}

async function list(options: FileOption & { readonly json?: boolean }): Promise<void> {
  const keys = listedKeys(await readKeyFile(fileOf(options)));
  process.stdout.write(options.json ? `${JSON.stringify(keys, undefined, 2)}\n` : keysTable(keys));
}

async function rotate(name: string, options: FileOption & { readonly finish?: boolean }): Promise<void> {
  const file = fileOf(options);
  if (options.finish) {
    await finishRotation(file, name);
    process.stderr.write(`${name} has one key now, the newer one.\n`);
    return;
  }
  const key = await rotateKey(file, name);
  show(`${name} has a new key beside the last one; rotate ${name} --finish ends the last one.`, key);
}

async function revoke(name: string, options: FileOption): Promise<void> {
  const file = fileOf(options);
  await revokeKey(file, name);
  process.stderr.write(`Removed ${name} from ${file}; its keys and links are good no more.\n`);
}

async function link({ key: name, endpoint: idOrName, ...options }: LinkOptions): Promise<void> {
  const file = fileOf(options);
  const { secret, maxLifetimeMs } = readConfig(process.env).links;
  if (secret === undefined)
    throw new Error('Set LINK_SECRET to what the gateway has: links are signed with it.');
  const endpoint = endpointNamed(await deployedEndpoints(), idOrName);
  const key = holderOf(keyNamed(file, await readKeyFile(file), name));
  const parameters = pairsOf('--param', options.param ?? []);
  const nowMs = Date.now();
  const expiresAtMs = nowMs + durationMs('--expires-in', options.expiresIn);
  const path = new Links(secret, { maxLifetimeMs }).sign({ endpoint, parameters, key, expiresAtMs, nowMs });
  const sent = new Map([...parameters].map(([param, text]) => [param, { text, times: 1 }]));
  const applied = applyFixed(key, endpoint.parameters, sent);
  validateParameters(endpoint, 'parameters' in applied ? applied.parameters : sent);
  process.stderr.write(`Good until ${new Date(expiresAtMs).toISOString()}, or until ${name} is revoked:\n`);
  if (options.baseUrl === undefined) {
    process.stderr.write(
      'This is the path alone; --base-url puts before it where callers reach the gateway.\n',
    );
  }
  process.stdout.write(`${options.baseUrl ?? ''}${path}\n`);
}

function fileOf({ file }: FileOption): string {
  if (file === undefined || file === '') {
    throw usageError('Set API_KEYS_FILE, or give --file: where are the keys kept?');
  }
  return file;
}

/** The key alone goes to standard output, so that a script can keep it. */
function show(what: string, key: string): void {
  process.stderr.write(`${what} This is the key; it is shown only now:\n`);
  process.stdout.write(`${key}\n`);
}

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
    .action((name: string, options: RightsOptions & FileOption) => runCommand(() => add(name, options)));
}

function listCommand(): Command {
  return new Command('list')
    .description('Shows the keys and what they may do; never a key or its hash.')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  querygate keys list --json')
    .action((options: FileOption & { readonly json?: boolean }) => runCommand(() => list(options)));
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
      runCommand(() => rotate(name, options)),
    );
}

function revokeCommand(): Command {
  return new Command('revoke')
    .description('Removes a name with its keys.')
    .argument('<name>', 'as in the file')
    .addHelpText('after', '\nExample:\n  querygate keys revoke grafana')
    .action((name: string, options: FileOption) => runCommand(() => revoke(name, options)));
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
    .action((options: LinkOptions) => runCommand(() => link(options)));
}

await runWhenMain(import.meta.url, keysCommand);
