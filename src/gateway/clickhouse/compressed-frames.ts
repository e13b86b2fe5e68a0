import { cityHash128 } from './city-hash.js';

/** Sizes before a frame's content, in bytes. The header has the method, the length from the method on, and the content's length. */
const CHECKSUM = 16;
const HEADER = 9;
const BEFORE_CONTENT = CHECKSUM + HEADER;
/** Compression methods. ClickHouse's HTTP interface compresses with LZ4. */
const NONE = 0x02;
const LZ4 = 0x82;
/** Maximum size of a frame. ClickHouse writes at most 1 MiB (before compression) at once. */
const MAX_FRAME_BYTES = 4 * 1024 * 1024;
/** Length of the shortest copy in LZ4. */
const LEAST_COPIED = 4;
/** Value of an LZ4 length that further bytes continue. */
const LONG = 15;

/** Cuts a stream into ClickHouse's compressed frames, in whatever chunks the bytes arrive. */
export class FrameCutter {
  private parts: Buffer[] = [];
  private bytes = 0;
  /** Bytes needed to complete the next frame, or to read its length. Infinite after bytes that are not a frame. */
  private needed = BEFORE_CONTENT;

  /** Whether the stream ends with a complete frame. */
  get isWhole(): boolean {
    return this.bytes === 0;
  }

  /** Frames that these bytes complete. */
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

/** Content of a frame. Undefined for another compression method. The reader of the stream checks the checksum. */
export function contentOf(frame: Buffer): Buffer | undefined {
  const content = frame.subarray(BEFORE_CONTENT);
  const method = frame[CHECKSUM];
  if (method !== LZ4) return method === NONE ? content : undefined;
  const length = frame.readUInt32LE(CHECKSUM + 5);
  return length > MAX_FRAME_BYTES ? undefined : decodeLz4(content, length);
}

/** Content of a complete response in frames. Undefined where the response contains anything else. */
export function contentOfAll(response: Buffer): Buffer | undefined {
  const cutter = new FrameCutter();
  const contents = cutter.cut(response).map(contentOf);
  return cutter.isWhole && contents.every((content) => content !== undefined)
    ? Buffer.concat(contents)
    : undefined;
}

/** Frame whose content is stored uncompressed, in the LZ4 form that all clients can read. @param content at least 24 bytes */
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

/** Decodes an LZ4 block (lz4_Block_format.md). Undefined where the block is invalid. */
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
