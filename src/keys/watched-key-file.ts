import { unwatchFile, watchFile } from 'node:fs';

import { entriesOf, readKeyFile } from './key-file.js';
import type { KeyEntry } from './key-ring.js';

export interface KeyFileEvents {
  readonly onReloaded: (keys: number) => void;
  /** The new file is no good; the keys from before stay in force. */
  readonly onRefused: (reason: string) => void;
}

/** How soon a change is seen. Polling sees replaced files, links and mounted secrets, which change events do not. */
const POLL_MS = 500;

/** The keys of a file, read again whenever it changes. */
export class WatchedKeyFile {
  private constructor(
    private readonly file: string,
    private current: readonly KeyEntry[],
  ) {}

  /** @throws Error where the file is no good at the start. */
  static async open(file: string, events: KeyFileEvents, onChange: () => void): Promise<WatchedKeyFile> {
    const watched = new WatchedKeyFile(file, entriesOf(await readKeyFile(file)));
    watchFile(file, { interval: POLL_MS, persistent: false }, () => void watched.reload(events, onChange));
    return watched;
  }

  get entries(): readonly KeyEntry[] {
    return this.current;
  }

  close(): void {
    unwatchFile(this.file);
  }

  private async reload(events: KeyFileEvents, onChange: () => void): Promise<void> {
    try {
      this.current = entriesOf(await readKeyFile(this.file));
    } catch (error) {
      events.onRefused(error instanceof Error ? error.message : String(error));
      return;
    }
    onChange();
    events.onReloaded(this.current.length);
  }
}
