import { Transform, type TransformCallback } from 'node:stream';

/** Header of a frame with blocks of up to 256 KiB, without checksums, as in ClickHouse's own frames. */
const HEAD = Buffer.from('04224d18405077', 'hex');
const BLOCK_BYTES = 256 * 1024;
const AS_IT_IS = 0x80000000;

/**
 * Encodes a stream as an LZ4 frame (lz4_Frame_format.md) of uncompressed blocks, for configurations of JDBC that accept no other
 * encoding.
 */
export class Lz4Frame extends Transform {
  constructor() {
    super();
    this.push(HEAD);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    for (let at = 0; at < chunk.length; at += BLOCK_BYTES) {
      const block = chunk.subarray(at, at + BLOCK_BYTES);
      this.push(lengthOf(block.length + AS_IT_IS));
      this.push(block);
    }
    done();
  }

  override _flush(done: TransformCallback): void {
    this.push(lengthOf(0));
    done();
  }
}

function lengthOf(length: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(length);
  return bytes;
}
