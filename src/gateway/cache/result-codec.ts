import { createHash } from 'node:crypto';

import { SHARED_FORMAT } from '../coordination/redis-keys.js';
import { Figures, OPERATORS } from '../../endpoint/figures.js';
import type { QueryCost } from '../../endpoint/limit-rules.js';
import type { CacheKey } from '../query/cache-key.js';
import { pendingBodies } from '../query/encode-bodies.js';
import {
  inOwnMemory,
  type Bodies,
  type Encoding,
  type EndpointResult,
  type PiecesOfResult,
} from '../query/endpoint-result.js';

/** First bytes of a value, which include the version of the format. */
export const MAGIC = `QGR${SHARED_FORMAT}`;
/** Number of digits of a time. Times are decimal milliseconds since 1970, so that a script in Redis can compare them. */
const TIME_DIGITS = 13;
const HASH_DIGITS = 64;
const CHECKSUM_BYTES = 16;
const LENGTH_BYTES = 4;

const CREATED_START = MAGIC.length;
const EXPIRES_START = CREATED_START + TIME_DIGITS;
const HASH_START = EXPIRES_START + TIME_DIGITS;
const PREFIX_END = HASH_START + HASH_DIGITS;
const LENGTH_START = PREFIX_END + CHECKSUM_BYTES;
const HEADER_START = LENGTH_START + LENGTH_BYTES;

/** Byte offsets in the prefix. The magic starts at 0. */
export const PREFIX = {
  createdStart: CREATED_START,
  expiresStart: EXPIRES_START,
  hashStart: HASH_START,
  end: PREFIX_END,
};

interface Header extends Omit<EndpointResult, 'bodies' | 'cost' | 'pieces'> {
  readonly cost: QueryCost;
  /** Pieces without `saved`, which counts only at the gateway that composed the result. */
  readonly pieces?: Omit<PiecesOfResult, 'saved'>;
  readonly lengths: Readonly<Record<Encoding, number>>;
  /** Set where the gateway may compress the body, if a caller asks for an encoding that is missing. */
  readonly isCompressible?: true;
}

/**
 * Encodes a result as bytes: a text prefix (magic, created at, expires at, hash of the cache key), a checksum over prefix and rest, the
 * length of the header, the header (JSON), the body, and those of its encodings that are ready.
 */
export function encodeResult(key: CacheKey, { bodies, cost, pieces, ...facts }: EndpointResult): Buffer {
  const { identity, gzip = Buffer.alloc(0), br = Buffer.alloc(0) } = bodies;
  const header: Header = {
    cost: cost.readBy(OPERATORS),
    lengths: { identity: identity.length, gzip: gzip.length, br: br.length },
    ...facts,
    ...(pieces && { pieces: withoutSaved(pieces) }),
    ...(bodies.pending && { isCompressible: true }),
  };
  const json = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(json.length);
  const prefix = Buffer.from(MAGIC + digits(facts.createdAt) + digits(facts.expiresAt) + key.hash);
  const rest = Buffer.concat([length, json, identity, gzip, br]);
  return Buffer.concat([prefix, checksumOf(prefix, rest), rest]);
}

/** Decodes a result. Undefined if the bytes are truncated, corrupt, of another format version or of another key. */
export function decodeResult({ hash }: CacheKey, bytes: Buffer): EndpointResult | undefined {
  if (bytes.length < HEADER_START) return undefined;
  if (bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined;
  // Without this check, anyone who can write to Redis could copy one tenant's value to the key of another.
  if (bytes.toString('latin1', HASH_START, PREFIX_END) !== hash) return undefined;
  const checksum = checksumOf(bytes.subarray(0, PREFIX_END), bytes.subarray(LENGTH_START));
  if (!bytes.subarray(PREFIX_END, LENGTH_START).equals(checksum)) return undefined;
  // The checksum matches, so the rest has the form that `encodeResult` wrote.
  const headerEnd = HEADER_START + bytes.readUInt32BE(LENGTH_START);
  const { lengths, cost, isCompressible, ...facts } = JSON.parse(
    bytes.toString('utf8', HEADER_START, headerEnd),
  ) as Header;
  const bodies = bodiesOf(inOwnMemory(bytes.subarray(headerEnd)), lengths);
  return {
    cost: new Figures(cost),
    bodies: isCompressible ? pendingBodies(bodies.identity, bodies) : bodies,
    ...facts,
  };
}

const withoutSaved = ({ kept, of, areDays }: PiecesOfResult): Omit<PiecesOfResult, 'saved'> => ({
  kept,
  of,
  ...(areDays && { areDays }),
});

const digits = (ms: number): string => String(ms).padStart(TIME_DIGITS, '0');

function bodiesOf(bytes: Buffer, { identity, gzip, br }: Header['lengths']): Bodies {
  const gzipEnd = identity + gzip;
  return {
    identity: bytes.subarray(0, identity),
    ...(gzip > 0 && { gzip: bytes.subarray(identity, gzipEnd) }),
    ...(br > 0 && { br: bytes.subarray(gzipEnd, gzipEnd + br) }),
  };
}

const checksumOf = (prefix: Buffer, rest: Buffer): Buffer =>
  createHash('sha256').update(prefix).update(rest).digest().subarray(0, CHECKSUM_BYTES);
