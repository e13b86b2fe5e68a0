import { randomBytes } from 'node:crypto';

/** Milliseconds after which a waiting reader gets a response without news, before a proxy ends its request. */
const LONGEST_WAIT_MS = 25_000;

/** A text that changes with what it stands for, and that readers can wait for. */
export class Revision {
  /** Different in each process, so that a page that was open before a restart sees a change. */
  private readonly process = randomBytes(4).toString('hex');
  private number = 0;
  private waiting: (() => void)[] = [];

  get text(): string {
    return `${this.process}-${this.number}`;
  }

  change(): void {
    this.number += 1;
    for (const resume of this.waiting.splice(0)) resume();
  }

  /** Resolves when the revision is not, or no longer, a known one; when the signal aborts; or after a while. */
  async changed(from: string, signal: AbortSignal): Promise<void> {
    if (this.text !== from || signal.aborted) return;
    let timer: NodeJS.Timeout | undefined;
    let onEnd: () => void = () => undefined;
    await new Promise<void>((resolve) => {
      onEnd = () => {
        resolve();
      };
      timer = setTimeout(onEnd, LONGEST_WAIT_MS);
      timer.unref();
      signal.addEventListener('abort', onEnd, { once: true });
      this.waiting.push(onEnd);
    });
    clearTimeout(timer);
    signal.removeEventListener('abort', onEnd);
    this.waiting = this.waiting.filter((resume) => resume !== onEnd);
  }
}
