const FIRST_BYTES = 64 * 1024;
/** Maximum bytes in UTF-8 for one unit of UTF-16. */
const BYTES_OF_UNIT = 3;

/**
 * Lines that wait to be written together, as bytes in one buffer. Thousands of separate strings would survive the next garbage
 * collections, each of which would copy them.
 */
export class LineBatch {
  private bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  private length = 0;
  private lines = 0;

  /** Number of lines. */
  get count(): number {
    return this.lines;
  }

  /** All lines, in the order in which they were appended. */
  get content(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  /** @param line ends with a line break. */
  append(line: string): void {
    const needed = this.length + BYTES_OF_UNIT * line.length;
    if (needed > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.bytes.length, needed));
      this.bytes.copy(larger, 0, 0, this.length);
      this.bytes = larger;
    }
    this.length += this.bytes.write(line, this.length);
    this.lines += 1;
  }

  /** Removes the lines, but keeps the buffer for further ones. */
  clear(): void {
    this.length = 0;
    this.lines = 0;
  }
}
