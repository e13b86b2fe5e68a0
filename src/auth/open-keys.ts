import { generateApiKey, hashApiKey } from './api-key.js';
import { checkKeysAgainst, type KnownEndpoint } from './check-keys.js';
import { KeyRing, type KeyEntry, type KeyHolder } from './key-ring.js';
import { WatchedKeyFile, type CheckKeyFile, type KeyFileEvents } from './watched-key-file.js';

export interface KeySources {
  /** One key with every right. */
  readonly apiKey: string | undefined;
  /** The keys' file. */
  readonly apiKeysFile: string | undefined;
}

export interface KeyOptions {
  /** What the keys' file is checked against, at the start and at each reload; absent for not at all. */
  readonly endpoints?: readonly KnownEndpoint[];
  /** Tells which keys have expired. */
  readonly clock?: () => Date;
}

/** The keys that the gateway accepts, whatever their source. */
export interface Keys {
  /** The holder of a key in force; undefined for an unknown or expired one. */
  readonly find: (key: string) => KeyHolder | undefined;
  /** The holder of that name whose key is in force: for links, which name their key. */
  readonly named: (name: string) => KeyHolder | undefined;
  /** All holders, expired ones too. */
  readonly principals: () => readonly KeyHolder[];
  /** A key made for this run, where no source was configured. */
  readonly generatedKey: string | undefined;
  readonly close: () => void;
}

/**
 * Opens the configured sources of keys; with none, makes a key for this run.
 *
 * @throws Error where the keys' file is no good.
 */
export async function openKeys(
  { apiKey, apiKeysFile }: KeySources,
  events: KeyFileEvents,
  { endpoints, clock = () => new Date() }: KeyOptions = {},
): Promise<Keys> {
  const generatedKey = apiKey === undefined && apiKeysFile === undefined ? generateApiKey() : undefined;
  const fixed = [...entryOf('API_KEY', apiKey), ...entryOf('start-up', generatedKey)];
  if (apiKeysFile === undefined) {
    const only = new KeyRing(fixed, clock);
    return keysOf(
      () => only,
      generatedKey,
      () => undefined,
    );
  }
  const check: CheckKeyFile = (keyFile) => {
    if (endpoints) checkKeysAgainst(keyFile, endpoints);
  };
  const file = await WatchedKeyFile.open(apiKeysFile, events, () => (ring = ringOf()), check);
  // The file's come last: a key that stands in both places has the rights that were written down for it.
  const ringOf = (): KeyRing => new KeyRing([...fixed, ...file.entries], clock);
  let ring = ringOf();
  return keysOf(
    () => ring,
    generatedKey,
    () => {
      file.close();
    },
  );
}

function keysOf(ring: () => KeyRing, generatedKey: string | undefined, close: () => void): Keys {
  return {
    find: (key) => ring().find(key),
    named: (name) => ring().named(name),
    principals: () => ring().principals(),
    generatedKey,
    close,
  };
}

function entryOf(name: string, key: string | undefined): readonly KeyEntry[] {
  return key === undefined
    ? []
    : [{ principal: { name, mayBypassCache: true, isAdmin: true }, hashes: [hashApiKey(key)] }];
}
