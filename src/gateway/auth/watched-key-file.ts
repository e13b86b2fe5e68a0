import { stat } from 'node:fs/promises';

import { entriesOf, readKeyFile, UnreadableKeyFile, type KeyFile } from './key-file.js';
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
  /** Whether the last read failed, so that the file must be read again without a change. */
  private isUnread = false;
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
      this.isUnread = false;
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
      // A lack of file descriptors passes without a change of the file. An invalid text stays invalid, and is not parsed again and again.
      if (!isChanged && !this.isUnread) return;
      this.state = state;
      await this.reload(events, isChanged);
    } finally {
      this.isPolling = false;
    }
  }

  private async reload(events: KeyFileEvents, isChanged: boolean): Promise<void> {
    const wasUnread = this.isUnread && !isChanged;
    try {
      this.#current = await readChecked(this.file, this.check);
      this.isUnread = false;
    } catch (error) {
      this.isUnread = error instanceof UnreadableKeyFile;
      if (!this.isUnread || !wasUnread)
        events.onRejected(error instanceof Error ? error.message : String(error));
      return;
    }
    this.onAdopted();
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
