import { describeError, type Logger } from '../observability/logger.js';

/** Milliseconds that a part may take to close. */
const CLOSE_MS = 2000;

/** Closes a part of the gateway. @param drainMs how long running requests may take. */
export type Close = (drainMs: number) => Promise<void> | void;

interface ClosingPart {
  /** Name in the log. */
  readonly name: string;
  /** Whether callers lose nothing if the part does not close: the exit code is then not affected. */
  readonly isBestEffort?: boolean;
  /** Whether the part waits for running requests; its timeout is then longer by `drainMs`. */
  readonly drains?: boolean;
}

export type OnClose = (close: Close, part: ClosingPart) => void;

/** The parts to close when the gateway stops. */
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
   * Closes every part in reverse order of opening. Parts that wait for requests come first and close concurrently, so that they need
   * only the time of one. Logs a part that fails or times out, and continues. A second call returns the same promise.
   *
   * @throws Error that names the parts that did not close, except best-effort parts.
   */
  closeAll(drainMs: number): Promise<void> {
    this.closing ??= this.closeEach(drainMs);
    return this.closing;
  }

  private async closeEach(drainMs: number): Promise<void> {
    const failed: string[] = [];
    const closePart = async ({
      name,
      close,
      isBestEffort,
      drains,
    }: (typeof parts)[number]): Promise<void> => {
      try {
        await withDeadline(() => close(drainMs), this.closeMs + (drains ? drainMs : 0));
      } catch (error) {
        if (!isBestEffort) failed.push(name);
        const log = isBestEffort ? this.logger.warn : this.logger.error;
        log('a part of the gateway did not close', { part: name, ...describeError(error) });
      }
    };
    const parts = this.parts.splice(0).reverse();
    await Promise.all(parts.filter(({ drains }) => drains).map(closePart));
    for (const part of parts) if (!part.drains) await closePart(part);
    if (failed.length > 0) throw new Error(`did not close: ${failed.join(', ')}`);
  }
}

async function withDeadline(close: () => Promise<void> | void, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`it did not close within ${ms} ms`));
    }, ms);
  });
  try {
    await Promise.race([close(), late]);
  } finally {
    clearTimeout(timer);
  }
}
