import { MAX_CLOCK_SKEW_MS } from './clock-skew.js';

/** A body as ClickHouse wrote it and, where it is worth it, compressed. */
export interface Bodies {
  readonly identity: Buffer;
  readonly gzip?: Buffer;
  readonly br?: Buffer;
}

export type Encoding = keyof Bodies;

/** A complete result as it is served and cached: its final bytes and all that is told of it. */
export interface EndpointResult {
  /** When its query began; milliseconds since 1970. */
  readonly createdAt: number;
  /** From when on it is no longer fresh; milliseconds since 1970. Every tier of the cache goes by this alone. */
  readonly expiresAt: number;
  /** Digest of the uncompressed bytes, 22 characters; what ETags are made from. */
  readonly digest: string;
  readonly rowCount: number;
  readonly truncated: boolean;
  /** Set where a shard was away: for those who wait for it now, and never kept. */
  readonly partial?: true;
  readonly rowsRead: number;
  readonly bytesRead: number;
  readonly clickhouseMs: number;
  /** Of the query, where this process asked it: its id, and milliseconds that it waited for a place. */
  readonly queryId?: string;
  readonly waitedMs?: number;
  readonly bodies: Bodies;
}

/** Bytes of all of an answer's bodies together. */
export function sizeOf({ bodies: { identity, gzip, br } }: EndpointResult): number {
  return identity.length + (gzip?.length ?? 0) + (br?.length ?? 0);
}

/**
 * The same bytes, without the larger buffer of which they are a part (what a socket or zlib filled): that one would
 * live as long as they do, and count for nobody.
 */
export function inOwnMemory(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

/**
 * From when on an answer can be used, by the clock of whoever reads it; milliseconds since 1970. Before that it is from
 * the future: it was created, or it expires, later than the clocks of this gateway and its creator together allow. It is
 * then the same as absent, in every tier.
 */
export function usableFrom(
  { createdAt, expiresAt }: Pick<EndpointResult, 'createdAt' | 'expiresAt'>,
  cachingMs: number,
): number {
  return Math.max(createdAt, expiresAt - cachingMs) - MAX_CLOCK_SKEW_MS;
}

/** Whether an answer may be served without asking again. */
export function isFresh(result: EndpointResult, now: number): boolean {
  return now < result.expiresAt;
}
