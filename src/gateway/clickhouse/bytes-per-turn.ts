/** Bytes after which other requests have their turn. Node reads up to 2 MiB of a socket in one turn of the event loop. */
const TURN_BYTES = 256 * 1024;

/** Gives other requests their turn while a stream passes many bytes on. */
export class BytesPerTurn {
  private bytes = 0;

  constructor(private readonly takeTurn: (resume: () => void) => void) {}

  /** Resumes the stream after a number of bytes: at once, or in its next turn. */
  after(bytes: number, resume: () => void): void {
    this.bytes += bytes;
    if (this.bytes < TURN_BYTES) {
      resume();
      return;
    }
    this.bytes = 0;
    this.takeTurn(resume);
  }
}
