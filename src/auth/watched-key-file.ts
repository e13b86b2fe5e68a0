import { unwatchFile, watchFile } from 'node:fs';

import { entriesOf, readKeyFile, type KeyFile } from './key-file.js';
import type { KeyEntry } from './key-ring.js';

export interface KeyFileEvents {
  readonly onReloaded: (keys: number) => void;
  /** The changed file is invalid; the previous keys stay active. */
  readonly onRejected: (reason: string) => void;
}

/** Checks a well-formed file against the endpoints; throws if it refers to one that does not exist. */
export type CheckKeyFile = (keyFile: KeyFile) => void;

/** Poll interval. Unlike change events, polling detects replaced files, symbolic links and mounted secrets. */
const POLL_MS = 500;

/** The keys of a file, which is read again after each change. */
export class WatchedKeyFile {
  #current: KeyFile;

  private constructor(
    private readonly file: string,
    keyFile: KeyFile,
    private readonly check: CheckKeyFile,
  ) {
    this.#current = keyFile;
  }

  /** @throws Error when the file is invalid. */
  static async open(
    file: string,
    events: KeyFileEvents,
    onChange: () => void,
    check: CheckKeyFile = () => undefined,
  ): Promise<WatchedKeyFile> {
    const watched = new WatchedKeyFile(file, await readChecked(file, check), check);
    watchFile(file, { interval: POLL_MS, persistent: false }, () => void watched.reload(events, onChange));
    return watched;
  }

  get entries(): readonly KeyEntry[] {
    return entriesOf(this.#current);
  }

  /** The file as it was read last, for a check against other endpoints. */
  get keyFile(): KeyFile {
    return this.#current;
  }

  close(): void {
    unwatchFile(this.file);
  }

  private async reload(events: KeyFileEvents, onChange: () => void): Promise<void> {
    try {
      this.#current = await readChecked(this.file, this.check);
    } catch (error) {
      events.onRejected(error instanceof Error ? error.message : String(error));
      return;
    }
    onChange();
    events.onReloaded(this.entries.length);
  }
}

async function readChecked(file: string, check: CheckKeyFile): Promise<KeyFile> {
  const keyFile = await readKeyFile(file);
  try {
    check(keyFile);
  } catch (cause) {
    throw new Error(`the keys file ${file} is invalid: ${(cause as Error).message}`, { cause });
  }
  return keyFile;
}
