import type { EndpointResult, PiecesOfResult } from '../endpoint-result.js';
import type { CacheKey } from '../cache-key.js';
import type { BucketsOfRows, QueryResult } from '../ports.js';
import { sumOfCosts } from '../sum-of-costs.js';
import type { Span } from './range.js';

/** Rows of a span within the range. */
export interface Piece extends Span {
  /** Cache key of the piece. Undefined where the range cuts the span. */
  readonly key: CacheKey | undefined;
  readonly version: string;
  readonly kept: EndpointResult | undefined;
}

/** A query result. Another call may have started the query. */
export interface Queried {
  readonly result: QueryResult;
  readonly isShared: boolean;
}

/** A piece with its rows, from the cache or from a query. */
export interface FilledPiece extends Piece {
  readonly queried: QueryResult | undefined;
  /** Whether another call started the query. */
  readonly isShared: boolean;
  readonly rowCount: number;
  readonly body: Buffer;
  readonly buckets: BucketsOfRows;
}

/** Adds the rows of a query, or else the cached ones, to a piece. @throws Error where there are neither */
export function filledBy(
  piece: Piece,
  { result: queried, isShared = false }: Partial<Queried> = {},
): FilledPiece {
  const { kept } = piece;
  const rows = queried ?? (kept && { ...kept, body: kept.bodies.identity });
  if (!rows?.buckets) throw new Error('a piece has no rows');
  const { rowCount, body, buckets } = rows;
  return { ...piece, queried, isShared, rowCount, body, buckets };
}

/** Counts the pieces. A partition counts as cached only if all of its rows in the range are. */
export function figuresOf(
  pieces: readonly FilledPiece[],
): Required<Pick<PiecesOfResult, 'saved'>> & PiecesOfResult {
  const ids = new Set(pieces.map(({ partition }) => partition.id));
  const queried = new Set(pieces.flatMap(({ partition, kept }) => (kept ? [] : [partition.id])));
  return {
    kept: ids.size - queried.size,
    of: ids.size,
    ...([...ids].every((id) => /^\d{8}$/.test(id)) && { areDays: true }),
    saved: sumOfCosts(pieces.flatMap(({ kept }) => kept?.cost ?? [])),
  };
}

/** Cost of the queries of this call, with the ID of the last query and the longest wait for a slot. */
export function costOf(pieces: readonly FilledPiece[]): Pick<QueryResult, 'cost' | 'queryId' | 'waitingMs'> {
  const caused = pieces.flatMap((piece) => (piece.isShared ? [] : (piece.queried ?? [])));
  const queryId = caused.at(-1)?.queryId;
  const waits = caused.flatMap(({ waitingMs }) => waitingMs ?? []);
  return {
    cost: sumOfCosts(caused.map(({ cost }) => cost)),
    ...(queryId !== undefined && { queryId }),
    ...(waits.length > 0 && { waitingMs: Math.max(...waits) }),
  };
}
