import type { Figures } from '../../endpoint/figures.js';
import type { QueryCost } from '../../endpoint/limit-rules.js';
import { MAX_CLOCK_SKEW_MS } from './clock-skew.js';
import type { DataOfResult } from './known-data.js';
import type { QueryResult, StatementHead } from './ports.js';

/** A body as ClickHouse wrote it and, if that is worthwhile, compressed. */
export interface Bodies extends Readonly<Partial<Record<Compressed, Buffer>>> {
  readonly identity: Buffer;
  /** Present until every encoding is ready: a body is compressed once somebody asks for it. */
  readonly pending?: PendingEncodings;
  /** Set where the body is compressed as it is sent, because it is not cached for later responses. */
  readonly isEncodedWhenSent?: true;
}

export type Compressed = 'gzip' | 'br';

export type Encoding = 'identity' | Compressed;

/** The encodings of a new body, each of which is compressed once. */
export interface PendingEncodings {
  /** The body in an encoding; undefined where it could not be compressed. */
  readonly in: (encoding: Compressed) => Promise<Buffer | undefined>;
  /** Calls back with the bodies whenever another one is ready, and at once where one is. Takes the place of an earlier callback. */
  readonly follow: (notify: (bodies: Bodies) => void) => void;
}

export const COMPRESSED = ['br', 'gzip'] as const satisfies readonly Compressed[];

/** A complete result as it is served and cached: its final bytes and the facts that response headers report. */
export interface EndpointResult extends Omit<QueryResult, 'body' | 'equalBytes' | 'isOfVersion'> {
  /** When its query started; milliseconds since 1970. */
  readonly createdAt: number;
  /** When it stops being fresh; milliseconds since 1970. Every tier of the cache uses this value alone. */
  readonly expiresAt: number;
  /** Digest of the uncompressed bytes, or of those that equal rows share; 22 characters, part of the ETag. */
  readonly digest: string;
  /** Set where the digest leaves out bytes that differ between equal results. */
  readonly hasWeakDigest?: true;
  /** Present where the endpoint caches until the data changes, and the version of the data is known. */
  readonly data?: DataOfResult;
  /** Present where it was composed of pieces. */
  readonly pieces?: PiecesOfResult;
  /** Present where it is that of a statement. */
  readonly head?: StatementHead;
  readonly bodies: Bodies;
}

/** Of which pieces a result was composed. */
export interface PiecesOfResult {
  /** Pieces whose rows were kept. */
  readonly kept: number;
  readonly of: number;
  /** Set where each piece is a day. */
  readonly areDays?: true;
  /** What the queries of the kept ones had cost; absent where another gateway composed the result. */
  readonly saved?: Figures<QueryCost>;
}

/** Bytes of all bodies of a result together. */
export function sizeOf({ bodies: { identity, gzip, br } }: Pick<EndpointResult, 'bodies'>): number {
  return identity.length + (gzip?.length ?? 0) + (br?.length ?? 0);
}

/**
 * Copies bytes that are a slice of a larger buffer (of a socket or of zlib). The slice would keep the whole buffer in
 * memory, and no size limit would count it.
 */
export function inOwnMemory(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

/**
 * The earliest time at which a reader may use a result; milliseconds since 1970. Before that time the result is from
 * the future: it was created or expires later than the allowed clock skew explains. Every tier treats it as absent.
 */
export function usableFrom(
  { createdAt, expiresAt }: Pick<EndpointResult, 'createdAt' | 'expiresAt'>,
  cachingMs: number,
): number {
  return Math.max(createdAt, expiresAt - cachingMs) - MAX_CLOCK_SKEW_MS;
}

/** Whether a result may be served without a new query, and without a confirmation. One of the future says nothing. */
export function isFresh({ expiresAt, data }: EndpointResult, now: number): boolean {
  return now < expiresAt && (data === undefined || now >= data.confirmedAt);
}

/** Whether ClickHouse has confirmed since the query that its data did not change. */
export function isConfirmed({ createdAt, data }: EndpointResult): boolean {
  return data !== undefined && data.confirmedAt > createdAt;
}

/** When the result was last known to be what the query returns; milliseconds since 1970. */
export function knownAt({ createdAt, data }: EndpointResult): number {
  return data?.confirmedAt ?? createdAt;
}
