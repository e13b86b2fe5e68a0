import { stat } from 'node:fs/promises';

import { entriesOf, readKeyFile, type KeyFile } from './key-file.js';
import type { KeyEntry } from './key-ring.js';

export interface KeyFileEvents {
  readonly onReloaded: (keys: number) => void;
  /** Called where the changed file is invalid; the previous keys stay active. */
  readonly onRejected: (reason: string) => void;
}

/** Checks a well-formed file against the endpoints; throws if it refers to one that does not exist. */
export type CheckKeyFile = (keyFile: KeyFile) => void;

/**
 * Poll interval. Unlike change events, polling detects replaced files, symbolic links and mounted secrets. Node's `watchFile` polls
 * too, but reads the state of the file for the first time only some time after the call, and so misses earlier changes.
 */
const POLL_MS = 500;

/** The keys of a file. Each change of the file makes the gateway read it again. */
export class WatchedKeyFile {
  #current: KeyFile;
  private isPolling = false;
  /** Why the file was rejected when it was read last. */
  private rejection: string | undefined;
  private readonly timer: NodeJS.Timeout;

  private constructor(
    private readonly file: string,
    keyFile: KeyFile,
    /** State of the file before the last read. */
    private state: string,
    events: KeyFileEvents,
    private readonly check: CheckKeyFile,
    private readonly onAdopted: () => void,
  ) {
    this.#current = keyFile;
    this.timer = setInterval(() => void this.poll(events), POLL_MS).unref();
  }

  /** @throws Error when the file is invalid. */
  static async open(
    file: string,
    events: KeyFileEvents,
    onChange: () => void,
    check: CheckKeyFile,
  ): Promise<WatchedKeyFile> {
    const state = await stateOf(file);
    const watched = new WatchedKeyFile(file, await readChecked(file, check), state, events, check, () => {
      onChange();
      events.onReloaded(watched.entries.length);
    });
    return watched;
  }

  get entries(): readonly KeyEntry[] {
    return entriesOf(this.#current);
  }

  /**
   * Reads the file for other endpoints. File and endpoints may have changed together, so that either is invalid without the other.
   *
   * @returns a function to be called when these endpoints are served.
   * @throws Error where neither the current file nor the active keys fit the endpoints.
   */
  async readFor(check: CheckKeyFile): Promise<() => void> {
    const before = this.#current;
    // The watcher reports the problems of a changed file.
    const now = await readChecked(this.file, check).catch(() => undefined);
    if (now === undefined) check(before);
    return () => {
      const isNews = now !== undefined && JSON.stringify(now) !== JSON.stringify(before);
      // The watcher may have read a newer file.
      if (!isNews || this.#current !== before) return;
      this.#current = now;
      this.rejection = undefined;
      this.onAdopted();
    };
  }

  close(): void {
    clearInterval(this.timer);
  }

  private async poll(events: KeyFileEvents): Promise<void> {
    if (this.isPolling) return;
    this.isPolling = true;
    try {
      const state = await stateOf(this.file);
      const isChanged = state !== this.state;
      // A rejected file is read again without a change too: that it could not be read may have passed, as a lack of file descriptors does.
      if (!isChanged && this.rejection === undefined) return;
      this.state = state;
      const before = isChanged ? undefined : this.rejection;
      this.rejection = await this.reload();
      if (this.rejection === undefined) this.onAdopted();
      else if (this.rejection !== before) events.onRejected(this.rejection);
    } finally {
      this.isPolling = false;
    }
  }

  /** @returns why the file is rejected; undefined where it is not */
  private async reload(): Promise<string | undefined> {
    try {
      this.#current = await readChecked(this.file, this.check);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}

/** Text that differs after every change of a file; empty where the file does not exist. */
async function stateOf(file: string): Promise<string> {
  return stat(file, { bigint: true }).then(
    ({ dev, ino, size, mtimeNs, ctimeNs }) => [dev, ino, size, mtimeNs, ctimeNs].join(),
    () => '',
  );
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
