import { generateApiKey, hashApiKey } from './api-key.js';
import { checkKeysAgainst, type KnownEndpoint } from './check-keys.js';
import { KeyRing, type KeyEntry } from './key-ring.js';
import type { Principal } from './principal.js';
import { WatchedKeyFile, type CheckKeyFile, type KeyFileEvents } from './watched-key-file.js';

export interface KeySources {
  /** A single key with every right. */
  readonly apiKey: string | undefined;
  /** Path of the keys file. */
  readonly apiKeysFile: string | undefined;
}

export interface KeyOptions {
  /** Endpoints that the keys file is validated against, at start-up and at each reload. If absent, the file is not validated. */
  readonly endpoints?: () => readonly KnownEndpoint[];
  /** The clock by which keys expire. */
  readonly clock?: () => Date;
}

/** The accepted keys, from all sources. */
export interface Keys {
  /** The principal of an active key; undefined for an unknown or expired key. */
  readonly find: (key: string) => Principal | undefined;
  /** The principal of a name, unless its key is not active. Signed links refer to their key by name. */
  readonly findByName: (name: string) => Principal | undefined;
  /** All principals, including those of expired keys. */
  readonly principals: () => readonly Principal[];
  /**
   * Reads the keys file again, and validates it against other endpoints.
   *
   * @returns a function to be called when these endpoints are served: only then are changed keys accepted.
   * @throws Error naming every key that refers to a missing endpoint or parameter.
   */
  readonly readFor: (endpoints: readonly KnownEndpoint[]) => Promise<() => void>;
  /** The key generated for this run, if no source is configured. */
  readonly generatedKey: string | undefined;
  readonly close: () => void;
}

/**
 * Opens the configured sources of keys; without any, generates a key for this run.
 *
 * @throws Error when the keys file is invalid.
 */
export async function openKeys(
  { apiKey, apiKeysFile }: KeySources,
  events: KeyFileEvents,
  { endpoints, clock = () => new Date() }: KeyOptions = {},
): Promise<Keys> {
  const generatedKey = apiKey === undefined && apiKeysFile === undefined ? generateApiKey() : undefined;
  const builtIn = [...entryOf('API_KEY', apiKey), ...entryOf('start-up', generatedKey)];
  if (apiKeysFile === undefined) {
    const keyRing = new KeyRing(builtIn, clock);
    return keysOf(() => keyRing, generatedKey);
  }
  const check: CheckKeyFile = (keyFile) => {
    if (endpoints) checkKeysAgainst(keyFile, endpoints());
  };
  const file = await WatchedKeyFile.open(apiKeysFile, events, () => (ring = ringOf()), check);
  // The file's keys come last: a key in both sources has the rights that the file states.
  const ringOf = (): KeyRing => new KeyRing([...builtIn, ...file.entries], clock);
  let ring = ringOf();
  return keysOf(() => ring, generatedKey, file);
}

function keysOf(ring: () => KeyRing, generatedKey: string | undefined, file?: WatchedKeyFile): Keys {
  return {
    find: (key) => ring().find(key),
    findByName: (name) => ring().findByName(name),
    principals: () => ring().principals(),
    readFor: (endpoints) =>
      file
        ? file.readFor((keyFile) => {
            checkKeysAgainst(keyFile, endpoints);
          })
        : Promise.resolve(() => undefined),
    generatedKey,
    close: () => {
      file?.close();
    },
  };
}

/** Rights of the keys that do not come from a file. */
const EVERY_RIGHT = {
  mayBypassCache: true,
  mayExport: true,
  mayLink: true,
  mayUseQueryString: true,
  mayCallGatewayEndpoints: true,
} as const;

function entryOf(name: string, key: string | undefined): readonly KeyEntry[] {
  if (key === undefined) return [];
  return [{ principal: { name, ...EVERY_RIGHT }, hashes: [hashApiKey(key)] }];
}
