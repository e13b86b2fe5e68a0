import { hash } from 'node:crypto';

import type { BoundQuery } from '../../../endpoint/bind.js';
import { revealed } from '../../../endpoint/parameters/secret-value.js';
import type { BucketColumn, Pieces } from '../../../endpoint/pieces.js';
import { quoteName, quoteText } from '../../../endpoint/quote-sql.js';
import type { RowFormat } from '../../formats/format.js';
import { FORMATS } from '../../formats/formats.js';
import { JSON_REPRESENTATION } from '../../formats/representation.js';
import { keyOf, lifetimeOf, type CacheKey } from '../cache-key.js';
import type { Call } from '../call.js';
import { capOf } from '../endpoint-query.js';
import type { DataPartition, KnownData, PartitionedData } from '../known-data.js';
import type { BucketsOfRows, QueryRequest } from '../ports.js';

/** Creates the request of a call's query. */
export type RequestOf = (bound: BoundQuery, data: KnownData | undefined) => QueryRequest;

/** A call whose result is composed of the rows of the partitions of a time range. */
export interface RangeCall {
  readonly call: Call & { readonly bound: BoundQuery };
  readonly pieces: Pieces;
  readonly rowCap: number;
  /** Joins the rows of several bodies in one. */
  readonly join: NonNullable<RowFormat['join']>;
  readonly requestOf: RequestOf;
  /** Hash that calls with the same pieces have, whatever their range. */
  readonly shape: string;
  /** Start of the call, in milliseconds of this process's clock (`performance.now`). */
  readonly beganAt: number;
  /** Start of the range (`to`: its end), in milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
}

/** Maximum number of partitions in the range of a composed result. */
const MAX_PARTITIONS = 400;

/** @returns undefined for a call whose result does not consist of rows in buckets */
export function rangeCallOf(call: Call, bound: BoundQuery, requestOf: RequestOf): RangeCall | undefined {
  const { endpoint, sandbox, representation = JSON_REPRESENTATION } = call;
  const { pieces } = endpoint;
  const format = FORMATS[representation.format];
  if (!pieces || sandbox || !('cut' in format) || !format.join) return undefined;
  return {
    ...{ call: { ...call, bound }, pieces, rowCap: capOf(call), join: format.join, requestOf },
    shape: shapeOf(call, bound, pieces),
    beganAt: performance.now(),
    from: boundMs(bound, pieces.from) ?? -Infinity,
    to: Math.floor(boundMs(bound, pieces.to) ?? Infinity),
  };
}

/** Milliseconds of a bound time such as `2026-05-17 10:05:03.123456`. A half stands for any fraction of a millisecond. */
function boundMs({ parameters }: BoundQuery, name: string): number | undefined {
  const value = revealed(parameters[name] ?? null);
  if (value === null) return undefined;
  const [, seconds = '', ms = '', rest = ''] = /^(.{19})(?:\.(\d{1,3})(\d*))?$/.exec(String(value)) ?? [];
  const whole = Date.parse(`${seconds.replace(' ', 'T')}.${ms.padEnd(3, '0')}Z`);
  return /[1-9]/.test(rest) ? whole + 0.5 : whole;
}

/** Partitions that can have rows of a range, in the order of their times. */
export function partitionsIn(
  { from, to }: RangeCall,
  { partitions }: PartitionedData,
): readonly DataPartition[] {
  return partitions.filter(({ since, until }) => since * 1000 <= to && (until + 1) * 1000 > from);
}

/** Seconds since 1970 after which times are unreliable: in ClickHouse's 32 bits, times before 1970 look like very late ones. */
const LATEST = 2_000_000_000;

/** Whether the times of all partitions are known, and the range has several, whose times do not overlap. */
export function isDivided(inRange: readonly DataPartition[], all: readonly DataPartition[]): boolean {
  const isAfter = ({ since }: DataPartition, index: number): boolean =>
    index === 0 || since > (inRange[index - 1]?.until ?? 0);
  return (
    inRange.length > 1 &&
    inRange.length <= MAX_PARTITIONS &&
    inRange.every(isAfter) &&
    all.every(({ since, until }) => since <= until && until < LATEST)
  );
}

/** Rows of a partition: all, or those on one side of a time in seconds since 1970. */
export interface Span {
  readonly partition: DataPartition;
  readonly since?: number;
  readonly before?: number;
}

const HOUR = 3600;

export const wholeSpans = (partitions: readonly DataPartition[]): readonly Span[] =>
  partitions.map((partition) => ({ partition }));

/**
 * Spans that have the rows of a range. A first partition that the range cuts is divided at the next full hour. The rows after this hour
 * stay the same while the start of the range moves on.
 *
 * @param inRange at least two
 */
export function spansOf(
  range: RangeCall,
  inRange: readonly DataPartition[],
  known: Pick<PartitionedData, 'isFromExcluded'>,
): readonly Span[] {
  const spans = wholeSpans(inRange);
  const [first, ...others] = spans;
  const hour = Math.ceil(range.from / 1000 / HOUR) * HOUR;
  if (
    !first ||
    isInside(first, range, known) ||
    hour <= first.partition.since ||
    hour > first.partition.until
  )
    return spans;
  const isAtHour = hour * 1000 === range.from;
  return [...(isAtHour ? [] : [{ ...first, before: hour }]), { ...first, since: hour }, ...others];
}

/** Whether every row of a span is within the range, so that every such range can use its piece. */
export function isInside(
  { partition, since = partition.since }: Span,
  { from, to }: RangeCall,
  { isFromExcluded }: Pick<PartitionedData, 'isFromExcluded'>,
): boolean {
  const first = since * 1000;
  return (isFromExcluded ? first > from : first >= from) && (partition.until + 1) * 1000 <= to;
}

/** Condition that selects the rows of spans. */
export function conditionOf({ pieces: { time } }: RangeCall, spans: readonly Span[]): string {
  return spans
    .map(({ partition, since, before }) =>
      [
        `_partition_id = ${quoteText(partition.id)}`,
        ...(since === undefined ? [] : [`${quoteName(time)} >= toDateTime(${since}, 'UTC')`]),
        ...(before === undefined ? [] : [`${quoteName(time)} < toDateTime(${before}, 'UTC')`]),
      ].join(' AND '),
    )
    .join(' OR ');
}

/** Condition that selects the rows of all other partitions. */
export const conditionOfOthers = (partitions: readonly DataPartition[]): string =>
  `_partition_id NOT IN (${partitions.map(({ id }) => quoteText(id)).join(',')})`;

/**
 * Whether the same partitions as before have rows of the range, and some partitions are unchanged.
 *
 * @param fixed partitions that must be unchanged
 */
export function isUnchanged(
  range: RangeCall,
  { before, later }: Readonly<Record<'before' | 'later', PartitionedData>>,
  fixed: readonly DataPartition[],
): boolean {
  const hashes = new Map(partitionsIn(range, later).map(({ id, hash: now }) => [id, now]));
  const known = partitionsIn(range, before);
  return (
    later.rest === before.rest &&
    hashes.size === known.length &&
    known.every(({ id }) => hashes.has(id)) &&
    fixed.every(({ id, hash: then }) => hashes.get(id) === then)
  );
}

/** Whether a partition, and everything except the partitions, is unchanged. */
export function isPartitionUnchanged(
  { id }: DataPartition,
  { before, later }: Readonly<Record<'before' | 'later', PartitionedData>>,
): boolean {
  const hashIn = ({ partitions }: PartitionedData): string | undefined =>
    partitions.find((partition) => partition.id === id)?.hash;
  return later.rest === before.rest && hashIn(later) === hashIn(before);
}

/** Whether the buckets of each piece come after those of the piece before it. @param pieces in the order of the result */
export function isOneAfterAnother(pieces: readonly BucketsOfRows[], { isDescending }: BucketColumn): boolean {
  let before: string | undefined;
  for (const { isOrdered, first, last } of pieces) {
    if (!isOrdered) return false;
    if (first === undefined) continue;
    if (before !== undefined && (isDescending ? first >= before : first <= before)) return false;
    before = last;
  }
  return true;
}

function shapeOf(call: Call, bound: BoundQuery, { table, time, bucket, from, to }: Pieces): string {
  const { hash: ofCall } = keyOf(call, {
    ...bound,
    parameters: { ...bound.parameters, [from]: null, [to]: null },
  });
  return hash('sha256', JSON.stringify([ofCall, table, time, bucket.name, bucket.isDescending]), 'hex');
}

/** Cache key of a piece. */
export function keyOfPiece(range: RangeCall, { partition, since }: Span): CacheKey {
  const { endpoint } = range.call;
  return {
    endpointId: endpoint.id,
    ...{ cachingMs: lifetimeOf(endpoint.settings).confirmableMs, confirmableMs: 0, staleMs: 0 },
    hash: hash('sha256', JSON.stringify([range.shape, partition.id, since ?? null]), 'hex'),
  };
}

/** Version of the rows of a piece. */
export function versionOfPiece({ rest }: PartitionedData, partition: DataPartition): string {
  return hash('sha256', JSON.stringify([rest, partition.hash]), 'base64url');
}

/**
 * Request for some rows of the range.
 *
 * @param condition selects the rows of the table
 * @param isOfVersion whether ClickHouse rejects the query if it reads a data part that the version does not have
 */
export function requestOver(
  { call: { bound }, requestOf }: RangeCall,
  { version, changed, filters, versionFilters }: PartitionedData,
  condition: string,
  isOfVersion: boolean,
): QueryRequest {
  const settings = { ...bound.settings, additional_table_filters: filters(condition) };
  const request = requestOf(
    { ...bound, settings },
    isOfVersion ? { version, changed, tableFilters: versionFilters(condition) } : undefined,
  );
  return { ...request, isVersioned: true };
}
