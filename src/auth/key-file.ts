import { readFile } from 'node:fs/promises';
import path from 'node:path';
import Joi from 'joi';
import { parse as parseYaml } from 'yaml';

import { LIMIT_RULES, type LimitRules } from '../limits/limit-rules.js';
import { addressSet } from './address-set.js';
import { parseInstant } from './instant.js';
import { ADDRESSES, ENDPOINT_PATTERNS, PINNED_PARAMETERS, pinnedMap, INSTANT } from './key-rights.js';
import type { KeyEntry } from './key-ring.js';
import type { Principal } from './principal.js';

/** What a key may do, as it stands in the file; what is absent is not restricted, and not granted. */
export interface StoredRights {
  /** Names, ids or patterns (`logs.*`); absent for all. */
  readonly endpoints?: readonly string[];
  /** Parameters with one value for this key. */
  readonly fixed?: Readonly<Record<string, string>>;
  /** ISO 8601; UTC where it has no zone. */
  readonly expires?: string;
  /** IP addresses and CIDR ranges. */
  readonly addresses?: readonly string[];
  readonly limits?: LimitRules;
  /** Whether `Cache-Control: no-cache` and `only-if-cached` are heeded. */
  readonly mayBypassCache?: boolean;
  /** Whether `?api_key=` is accepted. */
  readonly mayUseQueryString?: boolean;
}

/** A key as it stands in the file. */
export interface StoredKey extends StoredRights {
  readonly name: string;
  /** SHA-256 of the key; two while it is being replaced, the older first. */
  readonly sha256: readonly string[];
  readonly created?: string;
}

/** The keys' file, JSON or YAML. */
export interface KeyFile {
  readonly keys: readonly StoredKey[];
}

/** Names of the keys that are in no file. */
const OWN_NAMES = ['API_KEY', 'start-up'];

const SCHEMA = Joi.object<KeyFile>({
  keys: Joi.array()
    .items(
      Joi.object<StoredKey>({
        name: Joi.string()
          .pattern(/^[\w.@-]{1,64}$/, 'a name of letters, digits, _ . @ -')
          .invalid(...OWN_NAMES)
          .required(),
        sha256: Joi.array()
          .items(Joi.string().hex().length(64).lowercase())
          .min(1)
          .max(2)
          .unique()
          .required(),
        created: Joi.string().isoDate(),
        endpoints: ENDPOINT_PATTERNS,
        fixed: PINNED_PARAMETERS,
        expires: INSTANT,
        addresses: ADDRESSES,
        limits: LIMIT_RULES,
        mayBypassCache: Joi.boolean(),
        mayUseQueryString: Joi.boolean(),
      }),
    )
    .unique('name')
    .required(),
})
  .required()
  .prefs({ abortEarly: false });

/**
 * Reads a keys' file.
 *
 * @throws Error naming the file and everything in it that is wrong; never a hash.
 */
export async function readKeyFile(file: string): Promise<KeyFile> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw new Error(`the keys’ file ${file} can’t be read: ${reasonOf(cause)}`, { cause });
  }
  return parseKeyFile(file, text);
}

/**
 * Reads the text of a keys' file; the name of the file says whether it is JSON or YAML.
 *
 * @throws Error naming the file and everything in it that is wrong; never a hash.
 */
export function parseKeyFile(file: string, text: string): KeyFile {
  const result = SCHEMA.validate(parse(file, text));
  const problems = result.error
    ? result.error.details.map(({ message }) => withoutHashes(message))
    : sharedHashes(result.value);
  if (problems.length === 0) return result.value as KeyFile;
  throw new Error(`the keys’ file ${file} is not as it should be: ${problems.join('; ')}`);
}

/** Whether a file name says YAML; anything else is JSON. */
export function isYaml(file: string): boolean {
  return ['.yaml', '.yml'].includes(path.extname(file).toLowerCase());
}

/** The keys of a file as a ring takes them. */
export function entriesOf({ keys }: KeyFile): readonly KeyEntry[] {
  return keys.map((key) => ({ principal: principalOf(key), hashes: key.sha256 }));
}

/** Who holds a stored key. */
export function principalOf(key: StoredKey): Principal {
  const { name, created, endpoints, addresses, limits, mayBypassCache = false, mayUseQueryString } = key;
  const fixed = pinnedMap(key.fixed);
  const expiresAt = key.expires === undefined ? undefined : parseInstant(key.expires);
  return {
    name,
    mayBypassCache,
    ...(mayUseQueryString !== undefined && { mayUseQueryString }),
    ...(endpoints && { endpoints }),
    ...(fixed && { pinned: fixed }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(addresses && { addresses: addressSet(addresses) }),
    ...(limits && { limits }),
    ...(created !== undefined && { created }),
  };
}

/** Two names for one key: which of the two limits holds would be a matter of luck. */
function sharedHashes({ keys }: KeyFile): readonly string[] {
  const owners = new Map<string, string>();
  return keys.flatMap(({ name, sha256 }) =>
    sha256.flatMap((hash) => {
      const owner = owners.get(hash);
      owners.set(hash, name);
      return owner === undefined ? [] : [`the keys ${owner} and ${name} have the same hash`];
    }),
  );
}

function reasonOf(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT') {
    return 'there is no such file. API_KEYS_FILE is the path of a JSON or YAML file, which “npm run keys -- add NAME” makes';
  }
  if (code === 'EACCES') return 'the gateway’s user may not read it';
  if (code === 'EISDIR') return 'it is a folder';
  return message;
}

function parse(file: string, text: string): unknown {
  try {
    return isYaml(file) ? parseYaml(text) : JSON.parse(text);
  } catch (cause) {
    // The parsers quote what stands at the fault, and show it on further lines: that may be part of a hash.
    const reason = (cause as Error).message.split('\n')[0]?.replace(/".*/, '…') ?? '';
    throw new Error(`the keys’ file ${file} can’t be read: ${withoutHashes(reason)}`, { cause });
  }
}

function withoutHashes(message: string): string {
  return message.replaceAll(/[0-9a-f]{16,}/gi, '…');
}
