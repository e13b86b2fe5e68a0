const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');

/** Finds the end of each response of a connection with one request at a time; reads Content-Length and chunked bodies. */
export class ResponseReader {
  private status = 0;
  /** Bytes of a body with Content-Length that are still to come. */
  private remaining = 0;
  private isChunked = false;
  /** The head as far as it has come, or the last bytes of a chunked body. */
  private kept: Buffer = Buffer.alloc(0);

  /** Reads bytes of a buffer that the caller reuses. Returns the status once the response is complete. */
  read(buffer: Buffer, length: number): number | undefined {
    let bytes = buffer.subarray(0, length);
    if (this.status === 0) {
      if (this.kept.length > 0) bytes = Buffer.concat([this.kept, bytes]);
      const end = bytes.indexOf(HEAD_END);
      if (end < 0) {
        this.kept = Buffer.from(bytes);
        return undefined;
      }
      this.readHead(bytes.toString('latin1', 0, end));
      this.kept = Buffer.alloc(0);
      bytes = bytes.subarray(end + (this.isChunked ? 2 : HEAD_END.length));
    }
    return this.isComplete(bytes) ? this.finish() : undefined;
  }

  private readHead(head: string): void {
    this.status = Number(head.slice(9, 12));
    const stated = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    this.isChunked = stated === undefined && /\r\ntransfer-encoding: chunked/i.test(head);
    this.remaining = Number(stated ?? 0);
  }

  private isComplete(bytes: Buffer): boolean {
    if (!this.isChunked) {
      this.remaining -= bytes.length;
      return this.remaining <= 0;
    }
    const last = Buffer.concat([this.kept, bytes.subarray(-LAST_CHUNK.length)]);
    this.kept = last.subarray(-LAST_CHUNK.length);
    return this.kept.equals(LAST_CHUNK);
  }

  private finish(): number {
    const { status } = this;
    this.status = 0;
    this.kept = Buffer.alloc(0);
    return status;
  }
}
