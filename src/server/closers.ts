import { describeError, type Logger } from '../observability/logger.js';

/** Milliseconds for which any part may close. */
const CLOSE_MS = 2000;

/** Closes a part of the gateway. @param drainMs how long requests that run may take. */
export type Close = (drainMs: number) => Promise<void> | void;

export interface ClosingPart {
  /** As the log names it. */
  readonly name: string;
  /** Whether nothing of worth to a caller is lost where it does not close: the process then still stops in order. */
  readonly isBestEffort?: boolean;
  /** Whether it waits for requests, whose time comes on top of its own. */
  readonly drains?: boolean;
}

export type OnClose = (close: Close, part: ClosingPart) => void;

/** What has to be closed when the gateway stops. */
export class Closers {
  private readonly parts: (ClosingPart & { readonly close: Close })[] = [];
  private closing: Promise<void> | undefined;

  constructor(
    private readonly logger: Logger,
    private readonly closeMs = CLOSE_MS,
  ) {}

  readonly add: OnClose = (close, part) => {
    this.parts.push({ ...part, close });
  };

  /**
   * Closes every part, the last one that was opened first. One that fails or does not end in time is logged, and the next
   * one closes all the same. Called again, it is the same closing.
   *
   * @throws Error naming the parts that did not close, those of best effort aside.
   */
  closeAll(drainMs: number): Promise<void> {
    this.closing ??= this.closeEach(drainMs);
    return this.closing;
  }

  private async closeEach(drainMs: number): Promise<void> {
    const failed: string[] = [];
    for (const { name, close, isBestEffort = false, drains = false } of this.parts.splice(0).reverse()) {
      try {
        await withDeadline(() => close(drainMs), this.closeMs + (drains ? drainMs : 0));
      } catch (error) {
        if (!isBestEffort) failed.push(name);
        const log = isBestEffort ? this.logger.warn : this.logger.error;
        log('a part of the gateway did not close', { part: name, ...describeError(error) });
      }
    }
    if (failed.length > 0) throw new Error(`did not close: ${failed.join(', ')}`);
  }
}

async function withDeadline(close: () => Promise<void> | void, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`it did not end within ${ms} ms`));
    }, ms);
  });
  try {
    await Promise.race([close(), late]);
  } finally {
    clearTimeout(timer);
  }
}
