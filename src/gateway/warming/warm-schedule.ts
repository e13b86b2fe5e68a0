import type { UsedSet } from './usage-ledger.js';
import type { CacheKey } from '../query/cache-key.js';
import { unlessFromFuture } from '../query/clock-skew.js';

/** State of a set that the warmer has tried to refresh. */
export interface WarmedSet {
  readonly key: CacheKey;
  /** Starts of the last two successful refreshes, the older first, in milliseconds since 1970. */
  readonly refreshedAt: readonly number[];
  /** Start of the query of its newest result, in milliseconds since 1970. */
  readonly createdAt: number;
  /** Number of consecutive failures. */
  readonly failures: number;
  /** Start of the last failed refresh, in milliseconds since 1970. */
  readonly failedAt: number;
  /** Duration of the last refresh, failed or not, in milliseconds. */
  readonly tookMs: number;
  /** Time that the last successful refresh took in ClickHouse, in milliseconds. */
  readonly lastMs: number;
  readonly rowsRead: number;
  readonly bytesRead: number;
  /** Number of uses of the set at its last refresh. */
  readonly usesAtRefresh: number;
}

/** Share of the interval by which a refresh can be early. */
const MAX_JITTER = 0.1;
/** Maximum backoff after failures, in intervals. */
const MAX_BACKOFF_INTERVALS = 8;

/** Removes times in the future, which were recorded before the clock was set back. */
export function withoutFutureTimes(warmed: WarmedSet, now: number): WarmedSet {
  return {
    ...warmed,
    refreshedAt: warmed.refreshedAt.filter((at) => unlessFromFuture(at, now) > 0),
    createdAt: unlessFromFuture(warmed.createdAt, now),
    failedAt: unlessFromFuture(warmed.failedAt, now),
  };
}

/** Whether a set was used since the older of its last two refreshes. */
export function isInUse(set: UsedSet, warmed: WarmedSet | undefined): boolean {
  const [beforeLast] = warmed?.refreshedAt.length === 2 ? warmed.refreshedAt : [];
  return beforeLast === undefined || set.lastUsedAt > beforeLast;
}

/**
 * Time when a set is due, in milliseconds since 1970; 0 means at once. It is one interval after the query of its newest result started,
 * minus a jitter that spreads sets that were first used together. Failures delay it.
 *
 * @param jitter 0 to 1, constant for a set.
 */
export function dueAt(
  set: UsedSet,
  warmed: WarmedSet | undefined,
  intervalMs: number,
  jitter: number,
): number {
  const createdAt = Math.max(set.createdAt, warmed?.createdAt ?? 0);
  const intervalOver = createdAt === 0 ? 0 : createdAt + intervalMs * (1 - MAX_JITTER * jitter);
  return warmed ? Math.max(intervalOver, retryAt(warmed, intervalMs)) : intervalOver;
}

/** Time of the next retry after failures, in milliseconds since 1970. The delay is one interval, then two, four, … 0 without failures. */
function retryAt({ failures, failedAt }: WarmedSet, intervalMs: number): number {
  if (failures === 0 || failedAt === 0) return 0;
  return failedAt + intervalMs * Math.min(2 ** (failures - 1), MAX_BACKOFF_INTERVALS);
}

/** A number from 0 to 1, constant for a set. */
export function jitterOf({ hash }: CacheKey): number {
  return parseInt(hash.slice(0, 8), 16) / 0xffff_ffff;
}
