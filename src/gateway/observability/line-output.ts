import type { Writable } from 'node:stream';

/** Milliseconds that a line waits for others, to be written with them. SIGKILL loses the lines of as many. */
const COLLECT_MS = 10;
/** Characters after which collected lines are written at once. */
const COLLECT_LENGTH = 64 * 1024;
/** Bytes that wait for a reader that is slower than the gateway; further lines are lost. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/**
 * Writes lines to standard output in batches. A pipe whose reader stalls delays neither requests nor the exit of the process:
 * Node keeps what the pipe does not take in memory.
 */
export class LineOutput {
  private collected = '';
  private collectedLines = 0;
  private lostLines = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param stream has a listener of errors: without a reader, lines are lost. */
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

  /** @param line with its line break. */
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
