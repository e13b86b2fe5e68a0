import { checkKeysAgainst } from '../../gateway/auth/check-keys.js';
import { asPrincipal, readKeyFile, type KeyFile, type StoredKey } from '../../gateway/auth/key-file.js';
import { Links } from '../../gateway/auth/links.js';
import { generateApiKey, hashApiKey } from '../../gateway/auth/api-key.js';
import { editKeyFile } from '../../gateway/auth/edit-key-file.js';
import { applyPinned } from '../../gateway/auth/pinned-parameters.js';
import { showPins } from '../../gateway/auth/shown-pins.js';
import { readConfig } from '../../gateway/config/config.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import { sealFrom } from '../../endpoint/parameters/secret-value.js';
import { validateParameters } from '../../gateway/query/validate-parameters.js';
import { loadProjectEndpoints } from '../../gateway/server/project-endpoints.js';
import { endpointNamed } from './project/endpoints.js';
import { usageError } from './exit-codes.js';
import { keysTable, type ListedKey } from './keys-list.js';
import { durationMs, rightsOf, type RightsOptions } from './keys-options.js';
import { pairsOf } from './option-values.js';

/** The option that names the keys file. */
export interface FileOption {
  readonly file?: string;
}

export interface LinkOptions extends FileOption {
  readonly key: string;
  readonly endpoint: string;
  readonly param?: readonly string[];
  readonly expiresIn: string;
  readonly baseUrl?: string;
}

/** Creates a key and prints it. */
export async function add(name: string, options: RightsOptions & FileOption): Promise<void> {
  const file = fileOf(options);
  const now = new Date();
  const key = generateApiKey();
  const added = { name, sha256: [hashApiKey(key)], created: now.toISOString(), ...rightsOf(options, now) };
  checkKeysAgainst({ keys: [added] }, (await loadProjectEndpoints(readConfig(process.env))).all());
  await editKeyFile(file, (before) => {
    if (before?.keys.some((each) => each.name === name)) {
      throw new Error(`${file} already has a key named ${name}`);
    }
    return { kind: 'add', key: added };
  });
  printKey(`Added ${name} to ${file}.`, key);
}

/** Lists the keys. */
export async function list(options: FileOption & { readonly json?: boolean }): Promise<void> {
  const file = await readKeyFile(fileOf(options));
  const endpoints = await endpointsOfPins(file);
  const seal = sealFrom(readConfig(process.env).links.secret);
  const keys = file.keys.map(({ fixed, sha256, ...key }): ListedKey => {
    const shown = fixed && { fixed: showPins(Object.entries(fixed), endpoints, seal) };
    return { ...key, keys: sha256.length, ...shown };
  });
  process.stdout.write(options.json ? `${JSON.stringify(keys, undefined, 2)}\n` : keysTable(keys));
}

/** The endpoints that declare which pinned values are secret; empty where no key has pins, or where they cannot be loaded. */
async function endpointsOfPins({ keys }: KeyFile): Promise<readonly Endpoint[]> {
  if (keys.every(({ fixed }) => fixed === undefined)) return [];
  try {
    return (await loadProjectEndpoints(readConfig(process.env))).all();
  } catch (error) {
    process.stderr.write(`Every pinned value is shown as an HMAC: ${(error as Error).message}\n`);
    return [];
  }
}

/** Creates a second key for a name, or removes the older key. */
export async function rotate(
  name: string,
  options: FileOption & { readonly finish?: boolean },
): Promise<void> {
  const file = fileOf(options);
  if (options.finish) {
    await editKeyFile(file, (before) => {
      if (keyNamed(file, before, name).sha256.length > 1) return { kind: 'dropOlderHash', name };
      throw new Error(`${name} has only one key; there is no older key to remove`);
    });
    process.stderr.write(`Removed the older key of ${name}.\n`);
    return;
  }
  const key = generateApiKey();
  await editKeyFile(file, (before) => {
    keyNamed(file, before, name);
    return { kind: 'addHash', name, hash: hashApiKey(key) };
  });
  printKey(`Created a second key for ${name}; rotate ${name} --finish removes the first.`, key);
}

/** Removes a name and its keys. */
export async function revoke(name: string, options: FileOption): Promise<void> {
  const file = fileOf(options);
  await editKeyFile(file, (before) => {
    keyNamed(file, before, name);
    return { kind: 'remove', name };
  });
  process.stderr.write(`Removed ${name} from ${file}. Its keys and links are no longer valid.\n`);
}

/** Prints a signed link. */
export async function link({ key: name, endpoint: idOrName, ...options }: LinkOptions): Promise<void> {
  const file = fileOf(options);
  const config = readConfig(process.env);
  const { secret, maxLifetimeMs } = config.links;
  if (secret === undefined)
    throw new Error('LINK_SECRET is not set. Set it to the same value as for the gateway.');
  const endpoint = endpointNamed(await loadProjectEndpoints(config), idOrName);
  const key = asPrincipal(keyNamed(file, await readKeyFile(file), name));
  const parameters = pairsOf('--param', options.param ?? []);
  const nowMs = Date.now();
  const expiresAtMs = nowMs + durationMs('--expires-in', options.expiresIn);
  const path = new Links(secret, { maxLifetimeMs }).sign({ endpoint, parameters, key, expiresAtMs, nowMs });
  const sent = new Map([...parameters].map(([param, text]) => [param, { text, times: 1 }]));
  const applied = applyPinned(key, endpoint.parameters, sent);
  validateParameters(endpoint, 'parameters' in applied ? applied.parameters : sent);
  process.stderr.write(`Valid until ${new Date(expiresAtMs).toISOString()}, or until ${name} is revoked:\n`);
  const { baseUrl = config.publicUrl } = options;
  if (baseUrl === undefined) {
    process.stderr.write(
      'This is only the path; set PUBLIC_URL or use --base-url to print a complete URL.\n',
    );
  }
  process.stdout.write(`${baseUrl ?? ''}${path}\n`);
}

/** The file of the command line, else that of the configuration. */
function fileOf({ file = readConfig(process.env).apiKeysFile }: FileOption): string {
  if (file === undefined || file === '') {
    throw usageError('No keys file is named. Set API_KEYS_FILE or use --file.');
  }
  return file;
}

/** @throws Error when the file has no key of that name. */
function keyNamed(file: string, keyFile: KeyFile | undefined, name: string): StoredKey {
  const found = keyFile?.keys.find((key) => key.name === name);
  if (!found) throw new Error(`${file} has no key named ${JSON.stringify(name)}`);
  return found;
}

/** Prints only the key to standard output, so that scripts can store it. */
function printKey(message: string, key: string): void {
  process.stderr.write(`${message} Copy the key now; it is not shown again:\n`);
  process.stdout.write(`${key}\n`);
}
