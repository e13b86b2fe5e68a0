import type { Figures } from '../../endpoint/figures.js';
import type { QueryCost } from '../../endpoint/limit-rules.js';
import { MAX_CLOCK_SKEW_MS } from './clock-skew.js';
import type { DataOfResult } from './known-data.js';
import type { QueryResult, StatementHead } from './ports.js';

/** A body as ClickHouse wrote it, with its compressed encodings if compression is worthwhile. */
export interface Bodies extends Readonly<Partial<Record<Compressed, Buffer>>> {
  readonly identity: Buffer;
  /** Present until every encoding is ready. An encoding is made when a caller first asks for it. */
  readonly pending?: PendingEncodings;
  /** Set where the body is compressed while it is sent, because later responses do not use it. */
  readonly isEncodedWhenSent?: true;
}

export type Compressed = 'gzip' | 'br';

export type Encoding = 'identity' | Compressed;

/** Encodings of a new body. Each is made once. */
export interface PendingEncodings {
  /** Body in an encoding. Undefined where it could not be compressed. */
  readonly in: (encoding: Compressed) => Promise<Buffer | undefined>;
  /** Calls back with the bodies whenever an encoding becomes ready, and at once if one is. A new callback replaces the earlier one. */
  readonly follow: (notify: (bodies: Bodies) => void) => void;
}

export const COMPRESSED = ['br', 'gzip'] as const satisfies readonly Compressed[];

/** A complete result as it is served and cached: its final bytes and the facts that response headers report. */
export interface EndpointResult extends Omit<QueryResult, 'body' | 'equalBytes' | 'isOfVersion'> {
  /** Start of its query, in milliseconds since 1970. */
  readonly createdAt: number;
  /** End of its freshness, in milliseconds since 1970. Every cache tier uses this value alone. */
  readonly expiresAt: number;
  /** Digest of the uncompressed bytes, or of the bytes that equal rows share. 22 characters; part of the ETag. */
  readonly digest: string;
  /** Set where the digest leaves out bytes that can differ between equal results. */
  readonly hasWeakDigest?: true;
  /** Version of the data. Absent unless the endpoint caches until the data changes and the version is known. */
  readonly data?: DataOfResult;
  /** Pieces of a composed result. Absent for other results. */
  readonly pieces?: PiecesOfResult;
  /** Head of a statement's result. Absent for other results. */
  readonly head?: StatementHead;
  readonly bodies: Bodies;
}

/** Number of cached and of all pieces in a composed result. */
export interface PiecesOfResult {
  /** Number of pieces whose rows came from the cache. */
  readonly kept: number;
  readonly of: number;
  /** Set where each piece is a day. */
  readonly areDays?: true;
  /** Former cost of the queries of the cached pieces. Absent where another gateway composed the result. */
  readonly saved?: Figures<QueryCost>;
}

/** Size of all bodies of a result together, in bytes. */
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
 * Earliest time at which a reader may use a result, in milliseconds since 1970. Before that time the result is from the future: it was
 * created or expires later than the allowed clock skew explains. Every tier treats such a result as absent.
 */
export function usableFrom(
  { createdAt, expiresAt }: Pick<EndpointResult, 'createdAt' | 'expiresAt'>,
  cachingMs: number,
): number {
  return Math.max(createdAt, expiresAt - cachingMs) - MAX_CLOCK_SKEW_MS;
}

/** Whether a result may be served without a query and a confirmation. A confirmation from the future does not count. */
export function isFresh({ expiresAt, data }: EndpointResult, now: number): boolean {
  return now < expiresAt && (data === undefined || now >= data.confirmedAt);
}

/** Whether ClickHouse has confirmed since the query that its data did not change. */
export function isConfirmed({ createdAt, data }: EndpointResult): boolean {
  return data !== undefined && data.confirmedAt > createdAt;
}

/** Last time at which the result was known to equal the query's rows, in milliseconds since 1970. */
export function knownAt({ createdAt, data }: EndpointResult): number {
  return data?.confirmedAt ?? createdAt;
}
