import { cityHash128 } from './city-hash.js';

/** Bytes of a frame before its content: checksum, method, length from the method on, length of the content. */
const CHECKSUM = 16;
const HEADER = 9;
const BEFORE_CONTENT = CHECKSUM + HEADER;
/** Methods. ClickHouse's HTTP interface compresses with LZ4. */
const NONE = 0x02;
const LZ4 = 0x82;
/** More than ClickHouse writes at once, which is 1 MiB before compression. */
const MAX_FRAME_BYTES = 4 * 1024 * 1024;
/** Of the shortest copy in LZ4. */
const LEAST_COPIED = 4;
/** A length in LZ4 whose rest follows in bytes of its own. */
const LONG = 15;

/** Cuts a stream into ClickHouse's compressed frames, however its bytes arrive. */
export class FrameCutter {
  private parts: Buffer[] = [];
  private bytes = 0;
  /** Bytes of the next frame, or those which say how many it has; infinite after bytes that are no frame. */
  private needed = BEFORE_CONTENT;

  /** Whether the stream ends with a whole frame. */
  get isWhole(): boolean {
    return this.bytes === 0;
  }

  /** The frames that these bytes complete. */
  cut(chunk: Buffer): readonly Buffer[] {
    this.bytes += chunk.length;
    if (this.needed === Infinity) return [];
    this.parts.push(chunk);
    if (this.bytes < this.needed) return [];
    const frames: Buffer[] = [];
    let rest = Buffer.concat(this.parts);
    while (rest.length >= (this.needed = neededBytes(rest))) {
      frames.push(rest.subarray(0, this.needed));
      rest = rest.subarray(this.needed);
    }
    this.parts = [rest];
    this.bytes = rest.length;
    return frames;
  }
}

function neededBytes(start: Buffer): number {
  if (start.length < BEFORE_CONTENT) return BEFORE_CONTENT;
  const bytes = CHECKSUM + start.readUInt32LE(CHECKSUM + 1);
  return bytes < BEFORE_CONTENT || bytes > MAX_FRAME_BYTES ? Infinity : bytes;
}

/** The content of a frame; undefined where it is compressed in another way. The checksum is left to whoever reads the stream. */
export function contentOf(frame: Buffer): Buffer | undefined {
  const content = frame.subarray(BEFORE_CONTENT);
  const method = frame[CHECKSUM];
  if (method !== LZ4) return method === NONE ? content : undefined;
  const length = frame.readUInt32LE(CHECKSUM + 5);
  return length > MAX_FRAME_BYTES ? undefined : decodeLz4(content, length);
}

/** The content of a whole response in frames; undefined where it has something else. */
export function contentOfAll(response: Buffer): Buffer | undefined {
  const cutter = new FrameCutter();
  const contents = cutter.cut(response).map(contentOf);
  return cutter.isWhole && contents.every((content) => content !== undefined)
    ? Buffer.concat(contents)
    : undefined;
}

/** A frame with bytes as they are, in the one method that all clients read. @param content at least 24 bytes */
export function frameOf(content: Buffer): Buffer {
  const more = content.length - LONG;
  const lengths = Buffer.alloc(Math.floor(more / 255) + 1, 255);
  lengths[lengths.length - 1] = more % 255;
  const block = Buffer.concat([Buffer.of(LONG << 4), lengths, content]);
  const header = Buffer.alloc(HEADER);
  header.writeUInt8(LZ4, 0);
  header.writeUInt32LE(HEADER + block.length, 1);
  header.writeUInt32LE(content.length, 5);
  const checked = Buffer.concat([header, block]);
  return Buffer.concat([cityHash128(checked), checked]);
}

/** Decodes a block of LZ4 (lz4_Block_format.md); undefined where it is none. */
function decodeLz4(block: Buffer, length: number): Buffer | undefined {
  const result = Buffer.alloc(length);
  let from = 0;
  let to = 0;
  const next = (): number => block[from++] ?? 0;
  const lengthOf = (start: number): number => {
    if (start < LONG) return start;
    let [sum, byte] = [start, 255];
    while (byte === 255) sum += byte = next();
    return sum;
  };
  while (from < block.length) {
    const token = next();
    const literals = lengthOf(token >> 4);
    block.copy(result, to, from, from + literals);
    from += literals;
    to += literals;
    if (from >= block.length) break;
    const offset = next() | (next() << 8);
    const end = to + LEAST_COPIED + lengthOf(token & 15);
    if (offset === 0 || offset > to || end > length) return undefined;
    for (; to < end; to += 1) result[to] = result[to - offset] ?? 0;
  }
  return to === length && from === block.length ? result : undefined;
}
