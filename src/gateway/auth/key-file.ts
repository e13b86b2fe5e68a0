import { readFile } from 'node:fs/promises';
import path from 'node:path';
import Joi from 'joi';
import { parse as parseYaml } from 'yaml';

import { LIMIT_RULES } from '../../endpoint/limit-rules-schema.js';
import { addressSet } from './address-set.js';
import { parseInstant } from './instant.js';
import { ADDRESSES, ENDPOINT_PATTERNS, PINNED_PARAMETERS, pinnedMap, INSTANT } from './key-rights.js';
import type { KeyEntry } from './key-ring.js';
import type { Permissions, Principal } from './principal.js';

/** The rights of a key, as the keys file states them. Absent limits mean unlimited, absent `may…` not permitted. */
export interface StoredRights extends Permissions, Pick<Principal, 'endpoints' | 'limits'> {
  /** Pinned parameters: value by name. */
  readonly fixed?: Readonly<Record<string, string>>;
  /** When the key expires, in ISO 8601; UTC without a zone. */
  readonly expires?: string;
  /** IP addresses and CIDR ranges from which the key may be used; absent: any. */
  readonly addresses?: readonly string[];
}

/** A key of the keys file. */
export interface StoredKey extends StoredRights {
  readonly name: string;
  /** SHA-256 of the key, hexadecimal. During a rotation there are two, the older first. */
  readonly sha256: readonly string[];
  readonly created?: string;
}

/** The content of a keys file, JSON or YAML. */
export interface KeyFile {
  readonly keys: readonly StoredKey[];
}

/** Names of the keys that do not come from a file. */
const RESERVED_NAMES = ['API_KEY', 'start-up'];

const SCHEMA = Joi.object<KeyFile>({
  keys: Joi.array()
    .items(
      Joi.object<StoredKey>({
        name: Joi.string()
          .pattern(/^[\w.@-]{1,64}$/)
          .messages({ 'string.pattern.base': '{#label} must be 1 to 64 letters, digits or _ . @ -' })
          .invalid(...RESERVED_NAMES)
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
        mayExport: Joi.boolean(),
        mayLink: Joi.boolean(),
        mayUseQueryString: Joi.boolean(),
      }),
    )
    .unique('name')
    .required(),
})
  .required()
  .label('the file')
  .prefs({ abortEarly: false });

/** The file system does not return the text of a keys file. The reason can pass without a change of the file. */
export class UnreadableKeyFile extends Error {}

/**
 * Reads a keys file.
 *
 * @throws Error naming the file and every problem in it; the message contains no hash.
 */
export async function readKeyFile(file: string): Promise<KeyFile> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw new UnreadableKeyFile(`the keys file ${file} cannot be read: ${reasonOf(cause)}`, { cause });
  }
  return parseKeyFile(file, text);
}

/**
 * Parses the text of a keys file; the file name decides between JSON and YAML.
 *
 * @throws Error naming the file and every problem in it; the message contains no hash.
 */
export function parseKeyFile(file: string, text: string): KeyFile {
  const result = SCHEMA.validate(parse(file, text));
  const problems = result.error
    ? result.error.details.map(({ message }) => withoutHashes(message))
    : sharedHashes(result.value);
  if (problems.length === 0) return result.value as KeyFile;
  throw new Error(`the keys file ${file} is invalid: ${problems.join('; ')}`);
}

/** Whether a file name has the extension of YAML; any other file is JSON. */
export function isYaml(file: string): boolean {
  return ['.yaml', '.yml'].includes(path.extname(file).toLowerCase());
}

/** The entries of a key ring for the keys of a file. */
export function entriesOf({ keys }: KeyFile): readonly KeyEntry[] {
  return keys.map((key) => ({ principal: asPrincipal(key), hashes: key.sha256 }));
}

/** The principal of a stored key. */
export function asPrincipal(key: StoredKey): Principal {
  const { name, created, endpoints, limits, expires, addresses } = key;
  const { mayBypassCache = false, mayExport, mayLink, mayUseQueryString } = key;
  return {
    pinned: pinnedMap(key.fixed),
    expiresAt: expires === undefined ? undefined : parseInstant(expires),
    addresses: addresses && addressSet(addresses),
    ...{ name, created, endpoints, limits, mayBypassCache, mayExport, mayLink, mayUseQueryString },
  };
}

/** The problems of hashes that two names share: it would be undefined whose limits apply. */
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
    return 'the file does not exist. Set API_KEYS_FILE to a JSON or YAML file; “querygate keys add NAME” creates one';
  }
  if (code === 'EACCES') return 'the gateway’s user has no permission to read it';
  if (code === 'EISDIR') return 'it is a folder';
  return message;
}

function parse(file: string, text: string): unknown {
  try {
    // A warning of the parser would show the text, in which a hash may be, on standard error.
    return isYaml(file) ? parseYaml(text, { logLevel: 'error' }) : JSON.parse(text);
  } catch (cause) {
    // Parsers quote the text at the error, on further lines too. The quote may contain a part of a hash.
    const reason = (cause as Error).message.split('\n')[0]?.replace(/".*/, '…') ?? '';
    const format = isYaml(file) ? 'YAML' : 'JSON';
    throw new Error(`the keys file ${file} is not valid ${format}: ${withoutHashes(reason)}`, { cause });
  }
}

function withoutHashes(message: string): string {
  return message.replaceAll(/[0-9a-f]{16,}/gi, '…');
}
