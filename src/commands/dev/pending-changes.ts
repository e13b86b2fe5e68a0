import type { ChangedPart, WatchEvents } from './watch-project.js';

type ChangedFiles = Parameters<WatchEvents['onChange']>[0];

/** Keeps changes of files until something reacts to them, because files can also change while the server starts. */
export class PendingChanges {
  private pending: ChangedFiles[] = [];
  private react: WatchEvents['onChange'] | undefined;
  private resume: () => void = () => undefined;

  readonly add: WatchEvents['onChange'] = (files) => {
    if (this.react) {
      this.react(files);
      return;
    }
    this.pending.push(files);
    this.resume();
  };

  /** Called before all files are read. */
  forget(): void {
    this.pending = [];
  }

  /** Resolves when a file of one of these parts has changed that was not forgotten. */
  async untilChanged(...parts: readonly ChangedPart[]): Promise<void> {
    while (!this.pending.some((files) => parts.some((part) => files.has(part)))) {
      await new Promise<void>((resolve) => (this.resume = resolve));
    }
  }

  /** Passes the changes that are kept, and from now on each change. */
  passTo(react: WatchEvents['onChange']): void {
    this.react = react;
    for (const files of this.pending.splice(0)) react(files);
  }
}
