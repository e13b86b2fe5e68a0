import type { Writable } from 'node:stream';

/** Milliseconds that a line waits, so that several are written together. SIGKILL loses the waiting lines. */
const COLLECT_MS = 10;
/** Characters after which collected lines are written at once. */
const COLLECT_LENGTH = 64 * 1024;
/** Maximum bytes that wait for a reader slower than the gateway; further lines are lost. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/**
 * Writes lines to standard output in batches. Node buffers what a pipe does not accept, so that a stalled reader delays neither
 * requests nor the exit of the process.
 */
export class LineOutput {
  private collected = '';
  private collectedLines = 0;
  private lostLines = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param stream must have an error listener: without a reader, lines are lost. */
  constructor(
    private readonly stream: Writable = process.stdout,
    private readonly maxWaitingBytes = MAX_WAITING_BYTES,
  ) {
    process.once('exit', this.writeCollected);
  }

  /** Lines that were lost since the start, because the reader was too slow. */
  get lost(): number {
    return this.lostLines;
  }

  /** @param line ends with a line break. */
  write(line: string): void {
    this.collected += line;
    this.collectedLines += 1;
    if (this.collected.length >= COLLECT_LENGTH) this.writeCollected();
    else this.timer ??= setTimeout(this.writeCollected, COLLECT_MS);
  }

  private readonly writeCollected = (): void => {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.stream.writableLength > this.maxWaitingBytes) this.lostLines += this.collectedLines;
    else this.stream.write(this.collected);
    this.collected = '';
    this.collectedLines = 0;
  };
}
