/** Bytes after which others have their turn. Node reads up to 2 MiB of a socket in one turn of the event loop. */
const TURN_BYTES = 256 * 1024;

/** Lets others have their turn while a stream passes many bytes on. */
export class BytesPerTurn {
  private bytes = 0;

  constructor(private readonly takeTurn: (resume: () => void) => void) {}

  /** Goes on after so many bytes: at once, or in its next turn. */
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
