import { generateApiKey, hashApiKey } from './api-key.js';
import { KeyRing, type KeyEntry, type KeyHolder } from './key-ring.js';
import { WatchedKeyFile, type KeyFileEvents } from './watched-key-file.js';

export interface KeySources {
  /** One key with every right. */
  readonly apiKey: string | undefined;
  /** The keys' file. */
  readonly apiKeysFile: string | undefined;
}

/** The keys that the gateway accepts, whatever their source. */
export interface Keys {
  readonly find: (key: string) => KeyHolder | undefined;
  /** A key made for this run, where no source was configured. */
  readonly generatedKey: string | undefined;
  readonly close: () => void;
}

/**
 * Opens the configured sources of keys; with none, makes a key for this run.
 *
 * @throws Error where the keys' file is no good.
 */
export async function openKeys({ apiKey, apiKeysFile }: KeySources, events: KeyFileEvents): Promise<Keys> {
  const generatedKey = apiKey === undefined && apiKeysFile === undefined ? generateApiKey() : undefined;
  const fixed = [...entryOf('API_KEY', apiKey), ...entryOf('start-up', generatedKey)];
  if (apiKeysFile === undefined) {
    const ring = new KeyRing(fixed);
    return { find: (key) => ring.find(key), generatedKey, close: () => undefined };
  }
  const file = await WatchedKeyFile.open(apiKeysFile, events, () => (ring = ringOf()));
  const ringOf = (): KeyRing => new KeyRing([...fixed, ...file.entries]);
  let ring = ringOf();
  return {
    find: (key) => ring.find(key),
    generatedKey,
    close: () => {
      file.close();
    },
  };
}

function entryOf(name: string, key: string | undefined): readonly KeyEntry[] {
  return key === undefined ? [] : [{ holder: { name, mayBypassCache: true }, hashes: [hashApiKey(key)] }];
}
