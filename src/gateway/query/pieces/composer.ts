import { LRUCache } from 'lru-cache';

import type { BoundQuery } from '../../../endpoint/bind.js';
import { concurrently } from '../../../endpoint/concurrently.js';
import type { Endpoint } from '../../../endpoint/endpoint.js';
import type { Call } from '../call.js';
import type { DataVersions } from '../data-versions.js';
import { digestOf } from '../encode-bodies.js';
import { inOwnMemory, type PiecesOfResult } from '../endpoint-result.js';
import type { DataOfResult, PartitionedData } from '../known-data.js';
import { LinkedAbort } from '../signal.js';
import type { Clock, QueryRequest, QueryResult, RunQuery } from '../ports.js';
import type { ResultStore } from '../result-store.js';
import { SingleFlight } from '../single-flight.js';
import { costOf, figuresOf, filledBy, type FilledPiece, type Piece, type Queried } from './piece.js';
import {
  conditionOf,
  conditionOfOthers,
  isDivided,
  isInside,
  isOneAfterAnother,
  isPartitionUnchanged,
  isUnchanged,
  keyOfPiece,
  partitionsIn,
  rangeCallOf,
  requestOver,
  spansOf,
  versionOfPiece,
  wholeSpans,
  type RangeCall,
  type RequestOf,
  type Span,
} from './range.js';
import type { PieceVerifier } from './verifier.js';

export interface ComposerDependencies {
  readonly runQuery: RunQuery;
  readonly store: ResultStore;
  readonly dataVersions: DataVersions;
  readonly verifier: PieceVerifier;
  readonly clock: Clock;
  readonly onComposed: (endpoint: Endpoint, pieces: ReturnType<typeof figuresOf>) => void;
}

/** Rows of a range, and facts about them. */
export interface Composed extends Pick<QueryResult, 'rowCount' | 'cost' | 'queryId' | 'waitingMs'> {
  /** Start of its query, in milliseconds since 1970. */
  readonly createdAt: number;
  readonly body: Buffer;
  readonly pieces: PiecesOfResult;
  /** Present where all rows belong to one version of the tables. */
  readonly data?: DataOfResult;
}

/** Maximum number of queries at a time for one result. */
const CONCURRENCY = 4;
/** Number of attempts to compose a result whose tables change meanwhile. */
const ATTEMPTS = 2;
/** Limits of the memory for shapes whose results cannot be composed: their number, and the time in milliseconds. */
const REFUSED = { max: 1000, ttl: 300_000 };
/** Time for which a shape whose partitions changed in each attempt is not composed, in milliseconds. */
const CHANGED_MS = 5000;
/** Maximum number of shapes in memory that were requested. */
const MAX_SEEN = 10_000;

/** Why a result is not composed: the data changed, its rows are not those of the pieces, or the range must come from one query. */
type Otherwise = 'changed' | 'refused' | 'whole';

/**
 * Composes results of pieces. A piece has the rows of a partition, or those after a full hour, and is cached while the partition keeps its
 * version. The other rows come from ClickHouse, with one query for each piece. Their buckets prove that the rows of the range are those of
 * the pieces, one after another: no bucket may have rows of two pieces.
 *
 * The first result of a shape comes from one query and stores no pieces, because it may be the only one.
 *
 * The rows belong to one moment. From the read of the versions before the queries to the read after them, all partitions but the last are
 * unchanged. The query of the last partition reads, at its moment, every row that no other piece has.
 */
export class PieceComposer {
  /** Shapes whose results cannot be composed. */
  private readonly refused = new LRUCache<string, true>(REFUSED);
  /** Shapes whose partitions must not be divided, because a bucket has rows before and after a full hour. */
  private readonly undivided = new LRUCache<string, true>({ max: MAX_SEEN });
  /** Shapes that were requested before. */
  private readonly seen = new LRUCache<string, true>({ max: MAX_SEEN });
  private readonly running = new SingleFlight<QueryResult>();

  constructor(private readonly dependencies: ComposerDependencies) {}

  /** @returns undefined where the result must come from one query. @throws Failure */
  async compose(call: Call, bound: BoundQuery, requestOf: RequestOf): Promise<Composed | undefined> {
    const { dataVersions, verifier } = this.dependencies;
    const range = rangeCallOf(call, bound, requestOf);
    if (!range || verifier.isWrong(call.endpoint) || this.refused.has(range.shape)) return undefined;
    let known = await dataVersions.partitions(range.call);
    for (let attempt = 0; known && attempt < ATTEMPTS; attempt += 1) {
      const composed = await this.attempt(range, known);
      if (composed === 'refused') this.refused.set(range.shape, true);
      if (composed !== 'changed') return typeof composed === 'string' ? undefined : composed;
      known = await dataVersions.partitions(range.call, { isRead: true });
    }
    // The partitions change all the time, so composing would cost more than it saves.
    if (known) this.refused.set(range.shape, true, { ttl: CHANGED_MS });
    return undefined;
  }

  private async attempt(range: RangeCall, known: PartitionedData): Promise<Composed | Otherwise> {
    const { dataVersions, clock } = this.dependencies;
    const startedAt = clock().getTime();
    const pieces = await this.piecesOf(range, known);
    // Where the rows exceed the cap, one query over all of them is necessary.
    const filled = pieces && (await this.fill(range, known, pieces));
    if (!filled) return 'whole';
    const isAllKept = filled.every(({ queried }) => !queried);
    // Without a query, the rows belong to the moment when the versions were read.
    const later = isAllKept ? known : await dataVersions.partitions(range.call, { isRead: true });
    if (!later) return 'changed';
    const moved = filled.filter(({ queried }) => queried && !queried.isOfVersion);
    if (moved.length > 0) known.changed();
    const fixed = filled.filter((piece) => !moved.includes(piece));
    const changes = { before: known, later };
    await this.keep(
      fixed.filter(({ partition }) => isPartitionUnchanged(partition, changes)),
      startedAt,
    );
    const ofFixed = fixed.map(({ partition }) => partition);
    const isOnlyLast = moved.every((piece) => piece === filled.at(-1));
    if (!isOnlyLast || !isUnchanged(range, changes, ofFixed)) return 'changed';
    const composed = this.composed(range, filled);
    if (!composed) return this.refusalOf(range, filled);
    this.report(range, later, filled);
    const isOfVersion = moved.length === 0 && later.version === known.version;
    return {
      ...{ ...composed, ...costOf(filled), createdAt: isAllKept ? known.readAt : startedAt },
      ...(isOfVersion && { data: { version: later.version, confirmedAt: later.readAt } }),
    };
  }

  /** Reason for a result whose buckets overlap. Divided partitions may be the cause, so the next attempt does not divide them. */
  private refusalOf(range: RangeCall, spans: readonly Span[]): Otherwise {
    if (!spans.some(({ since }) => since !== undefined)) return 'refused';
    this.undivided.set(range.shape, true);
    return 'changed';
  }

  private isFirst({ shape }: RangeCall): boolean {
    const isFirst = !this.seen.has(shape);
    this.seen.set(shape, true);
    return isFirst;
  }

  /** @returns undefined where the result must come from one query */
  private async piecesOf(range: RangeCall, known: PartitionedData): Promise<readonly Piece[] | undefined> {
    const partitions = partitionsIn(range, known);
    if (!isDivided(partitions, known.partitions)) return undefined;
    const isWhole = this.undivided.has(range.shape);
    const spans = isWhole ? wholeSpans(partitions) : spansOf(range, partitions, known);
    const pieces = await this.find(range, known, spans);
    // For a result that is requested once, pieces do not pay.
    const isLone = this.isFirst(range) && !pieces.some(({ kept }) => kept);
    return isLone ? undefined : pieces;
  }

  /** Pieces of a range, with the rows that the cache has. */
  private find(range: RangeCall, known: PartitionedData, spans: readonly Span[]): Promise<readonly Piece[]> {
    return Promise.all(
      spans.map(async (span) => {
        const key = isInside(span, range, known) ? keyOfPiece(range, span) : undefined;
        const version = versionOfPiece(known, span.partition);
        const kept = key && (await this.dependencies.store.get(key));
        return { ...span, key, version, kept: kept?.data?.version === version ? kept : undefined };
      }),
    );
  }

  /** Queries the missing rows. @returns undefined where there are more than the row cap. @throws Failure */
  private async fill(
    range: RangeCall,
    known: PartitionedData,
    pieces: readonly Piece[],
  ): Promise<readonly FilledPiece[] | undefined> {
    const results = new Map<Piece, Queried>();
    let rows = pieces.reduce((sum, { kept }) => sum + (kept?.rowCount ?? 0), 0);
    const abort = new LinkedAbort(range.call.signal);
    const { signal } = abort;
    const query = async (piece: Piece): Promise<void> => {
      signal.throwIfAborted();
      if (rows > range.rowCap) return;
      const isLast = piece === pieces.at(-1);
      const others = pieces.filter((other) => other !== piece).map(({ partition }) => partition);
      // The last partition may get rows all the time, so its query reads whatever is there.
      const request = isLast
        ? requestOver(range, known, conditionOfOthers(others), !known.isMoving)
        : requestOver(range, known, conditionOf(range, [piece]), true);
      // All queries of a result share its time limit.
      const spentMs = performance.now() - range.beganAt;
      const { bucket } = range.pieces;
      const queried = await this.query({ ...request, bucket, signal, spentMs }, piece);
      results.set(piece, queried);
      rows += queried.result.truncated ? Infinity : queried.result.rowCount;
    };
    const missing = pieces.filter(({ kept }) => !kept);
    try {
      await concurrently(missing, CONCURRENCY, query);
    } catch (error) {
      abort.abort(new Error('another query of the same result has failed'));
      throw error;
    } finally {
      abort.end();
    }
    return rows > range.rowCap ? undefined : pieces.map((piece) => filledBy(piece, results.get(piece)));
  }

  /** Queries a piece. Calls that miss the same cacheable piece share the query. */
  private async query(request: QueryRequest, { key, version }: Piece): Promise<Queried> {
    const { runQuery } = this.dependencies;
    if (!key || !request.data) return { result: await runQuery(request), isShared: false };
    const { value, joined } = await this.running.join(`${key.hash} ${version}`, request, (shared) =>
      runQuery({ ...request, ...shared }),
    );
    return { result: value, isShared: joined };
  }

  /** @returns undefined where the rows are not those of the pieces, one after another */
  private composed(
    { pieces: { bucket }, join }: RangeCall,
    filled: readonly FilledPiece[],
  ): Pick<Composed, 'rowCount' | 'body' | 'pieces'> | undefined {
    const inOrder = bucket.isDescending ? filled.toReversed() : filled;
    const buckets = inOrder.map((piece) => piece.buckets);
    if (!isOneAfterAnother(buckets, bucket)) return undefined;
    const rowCount = filled.reduce((sum, piece) => sum + piece.rowCount, 0);
    return { rowCount, body: join(inOrder.map(({ body }) => body)), pieces: figuresOf(filled) };
  }

  /** Stores new rows that a later read of the versions proved unchanged. */
  private async keep(pieces: readonly FilledPiece[], createdAt: number): Promise<void> {
    const { store } = this.dependencies;
    await Promise.all(
      pieces.map(async ({ key, version, queried }) => {
        if (!key || !queried) return;
        const { body, ...facts } = queried;
        const expiresAt = createdAt + key.cachingMs;
        const data = { version, confirmedAt: createdAt };
        const bodies = { identity: inOwnMemory(body) };
        await store.set(
          key,
          { ...facts, createdAt, expiresAt, digest: digestOf(body), data, bodies },
          expiresAt,
        );
      }),
    );
  }

  private report(range: RangeCall, known: PartitionedData, filled: readonly FilledPiece[]): void {
    const { verifier, onComposed } = this.dependencies;
    const { pieces, join, call } = range;
    const kept = filled.filter((piece) => piece.kept);
    onComposed(call.endpoint, figuresOf(filled));
    if (kept.length === 0) return;
    const inOrder = pieces.bucket.isDescending ? kept.toReversed() : kept;
    verifier.sometimes(range, known, () => ({
      spans: kept,
      body: join(inOrder.map(({ body }) => body)),
    }));
  }
}
