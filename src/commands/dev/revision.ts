import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';

/** Milliseconds after which a waiting reader gets a response without news, before a proxy ends its request. */
const LONGEST_WAIT_MS = 25_000;

/** A text that differs after each change of a state, and for whose next value readers can wait. */
export class Revision {
  /** Different in each process, so that a page that was open before a restart sees a change. */
  private readonly process = randomBytes(4).toString('hex');
  private number = 0;
  private readonly changes = new EventEmitter().setMaxListeners(0);

  get text(): string {
    return `${this.process}-${this.number}`;
  }

  change(): void {
    this.number += 1;
    this.changes.emit('change');
  }

  /** Resolves when the revision is not, or no longer, a known one; when the signal aborts; or after a while. */
  async changed(from: string, signal: AbortSignal): Promise<void> {
    if (this.text !== from) return;
    const ends = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_WAIT_MS)]);
    await once(this.changes, 'change', { signal: ends }).catch(() => undefined);
  }
}
