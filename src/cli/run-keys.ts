import { checkKeysAgainst } from '../auth/check-keys.js';
import { principalOf, readKeyFile } from '../auth/key-file.js';
import { Links } from '../auth/links.js';
import { addKey, finishRotation, keyNamed, revokeKey, rotateKey } from '../auth/manage-keys.js';
import { applyPinned } from '../auth/pinned-parameters.js';
import { readConfig } from '../config/config.js';
import { validateParameters } from '../query/validate-parameters.js';
import { deployedEndpoints } from './deployed-endpoints.js';
import { endpointNamed } from './endpoint-named.js';
import { usageError } from './exit-codes.js';
import { keysTable, listedKeys } from './keys-list.js';
import { durationMs, rightsOf, type RightsOptions } from './keys-options.js';
import { pairsOf } from './option-values.js';

/** Which file a command is about. */
export interface FileOption {
  readonly file?: string;
}

/** The options of `querygate keys link`, as commander has them. */
export interface LinkOptions extends FileOption {
  readonly key: string;
  readonly endpoint: string;
  readonly param?: readonly string[];
  readonly expiresIn: string;
  readonly baseUrl?: string;
}

/** Makes a key and prints it. */
export async function add(name: string, options: RightsOptions & FileOption): Promise<void> {
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

/** Shows the keys. */
export async function list(options: FileOption & { readonly json?: boolean }): Promise<void> {
  const keys = listedKeys(await readKeyFile(fileOf(options)));
  process.stdout.write(options.json ? `${JSON.stringify(keys, undefined, 2)}\n` : keysTable(keys));
}

/** Makes a second key for a name, or ends the older one. */
export async function rotate(
  name: string,
  options: FileOption & { readonly finish?: boolean },
): Promise<void> {
  const file = fileOf(options);
  if (options.finish) {
    await finishRotation(file, name);
    process.stderr.write(`${name} has one key now, the newer one.\n`);
    return;
  }
  const key = await rotateKey(file, name);
  show(`${name} has a new key beside the last one; rotate ${name} --finish ends the last one.`, key);
}

/** Removes a name with its keys. */
export async function revoke(name: string, options: FileOption): Promise<void> {
  const file = fileOf(options);
  await revokeKey(file, name);
  process.stderr.write(`Removed ${name} from ${file}; its keys and links are good no more.\n`);
}

/** Prints a signed link. */
export async function link({ key: name, endpoint: idOrName, ...options }: LinkOptions): Promise<void> {
  const file = fileOf(options);
  const { secret, maxLifetimeMs } = readConfig(process.env).links;
  if (secret === undefined)
    throw new Error('Set LINK_SECRET to what the gateway has: links are signed with it.');
  const endpoint = endpointNamed(await deployedEndpoints(), idOrName);
  const key = principalOf(keyNamed(file, await readKeyFile(file), name));
  const parameters = pairsOf('--param', options.param ?? []);
  const nowMs = Date.now();
  const expiresAtMs = nowMs + durationMs('--expires-in', options.expiresIn);
  const path = new Links(secret, { maxLifetimeMs }).sign({ endpoint, parameters, key, expiresAtMs, nowMs });
  const sent = new Map([...parameters].map(([param, text]) => [param, { text, times: 1 }]));
  const applied = applyPinned(key, endpoint.parameters, sent);
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
