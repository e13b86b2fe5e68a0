/** Minimum length of the input, in bytes. CityHash has further cases for shorter inputs, which no frame needs. */
export const LEAST_HASHED = 33;

const K0 = 0xc3a5c85c97cb3127n;
const K1 = 0xb492b66fbe98f273n;
const K3 = 0xc949d7c7509e6557n;
const MIX = 0x9ddfea08eb382d69n;

type Pair = readonly [bigint, bigint];

const u64 = (value: bigint): bigint => BigInt.asUintN(64, value);
const times = (a: bigint, b: bigint): bigint => u64(a * b);
const rotate = (value: bigint, by: bigint): bigint => {
  const bits = u64(value);
  return (bits >> by) | u64(bits << (64n - by));
};
const shiftMix = (value: bigint): bigint => value ^ (value >> 47n);

/** Hash128to64 of CityHash. */
function mixed(u: bigint, v: bigint): bigint {
  const [low, high] = [u64(u), u64(v)];
  const a = shiftMix(times(low ^ high, MIX));
  return times(shiftMix(times(high ^ a, MIX)), MIX);
}

/**
 * CityHash128 of version 1.0.2, which ClickHouse uses as the checksum of its compressed frames. Later versions give other values. It is
 * meant for short inputs: 1 KB takes about 0.2 ms.
 *
 * @param bytes at least {@link LEAST_HASHED}
 * @returns 16 bytes, in the order in which a frame begins with them
 */
export function cityHash128(bytes: Buffer): Buffer {
  if (bytes.length < LEAST_HASHED) throw new RangeError(`cityHash128 of ${bytes.length} bytes`);
  const seed: Pair = [bytes.readBigUInt64LE(0) ^ K3, bytes.readBigUInt64LE(8)];
  const rest = bytes.subarray(16);
  const [low, high] = rest.length < 128 ? hashShort(rest, seed) : hashLong(rest, seed);
  const result = Buffer.alloc(16);
  result.writeBigUInt64LE(u64(low), 0);
  result.writeBigUInt64LE(u64(high), 8);
  return result;
}

/** CityMurmur of CityHash, for 17 to 127 bytes. */
function hashShort(bytes: Buffer, [low, high]: Pair): Pair {
  const { length } = bytes;
  const at = (offset: number): bigint => bytes.readBigUInt64LE(offset);
  let a = low;
  let b = high;
  let c = mixed(at(length - 8) + K1, a);
  let d = mixed(b + BigInt(length), c + at(length - 16));
  a = u64(a + d);
  for (let offset = 0; offset < length - 16; offset += 16) {
    a = times(a ^ times(shiftMix(times(at(offset), K1)), K1), K1);
    b ^= a;
    c = times(c ^ times(shiftMix(times(at(offset + 8), K1)), K1), K1);
    d ^= c;
  }
  a = mixed(a, c);
  b = mixed(d, b);
  return [a ^ b, mixed(b, a)];
}

/** CityHash128WithSeed for 128 bytes or more. */
function hashLong(bytes: Buffer, [low, high]: Pair): Pair {
  const { length } = bytes;
  const at = (offset: number): bigint => bytes.readBigUInt64LE(offset);
  const weakHash = (offset: number, a: bigint, b: bigint): Pair => {
    const [first, last] = [u64(a + at(offset)), at(offset + 24)];
    const sum = u64(first + at(offset + 8) + at(offset + 16));
    return [u64(sum + last), u64(rotate(b + first + last, 21n) + rotate(sum, 44n) + first)];
  };
  let [x, y, z] = [low, high, times(BigInt(length), K1)];
  const v0 = u64(times(rotate(y ^ K1, 49n), K1) + at(0));
  let v: Pair = [v0, u64(times(rotate(v0, 42n), K1) + at(8))];
  let w: Pair = [u64(times(rotate(y + z, 35n), K1) + x), times(rotate(x + at(88), 53n), K1)];
  const blocks = length - (length % 128);
  for (let offset = 0; offset < blocks; offset += 64) {
    x = times(rotate(x + y + v[0] + at(offset + 16), 37n), K1) ^ w[1];
    y = times(rotate(y + v[1] + at(offset + 48), 42n), K1) ^ v[0];
    z = rotate(z ^ w[0], 33n);
    v = weakHash(offset, times(v[1], K1), x + w[0]);
    w = weakHash(offset + 32, z + w[1], y);
    [x, z] = [z, x];
  }
  y = u64(y + times(rotate(w[0], 37n), K0) + z);
  x = u64(x + times(rotate(v[0] + z, 49n), K0));
  for (let offset = length; offset > blocks;) {
    offset -= 32;
    y = u64(times(rotate(y - x, 42n), K0) + v[1]);
    const sum = u64(w[0] + at(offset + 16));
    x = u64(times(rotate(x, 49n), K0) + sum);
    w = [u64(sum + v[0]), w[1]];
    v = weakHash(offset, v[0], v[1]);
  }
  x = mixed(x, v[0]);
  y = mixed(y, w[0]);
  return [mixed(x + v[1], w[1]) + y, mixed(x + w[1], y + v[1])];
}
