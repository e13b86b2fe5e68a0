import type { CacheKey } from '../query/cache-key.js';
import { unlessFromFuture } from '../query/clock-skew.js';
import type { UsedSet } from './usage-ledger.js';

/** What the worker knows of a set that it has refreshed. */
export interface WarmedSet {
  readonly key: CacheKey;
  /** Of the last two refreshes, the older first; milliseconds since 1970. */
  readonly refreshedAt: readonly number[];
  /** When the query of its newest answer began; milliseconds since 1970. */
  readonly createdAt: number;
  /** Failures in a row. */
  readonly failures: number;
  /** When the last of them began; milliseconds since 1970. */
  readonly failedAt: number;
  /** What the last refresh took from its start to its end, failed or not; milliseconds. */
  readonly tookMs: number;
  /** What the last one that succeeded took in ClickHouse; milliseconds. */
  readonly lastMs: number;
  readonly rowsRead: number;
  readonly bytesRead: number;
  /** How often the set had been asked for when it was last refreshed. */
  readonly usesAtRefresh: number;
}

/** Share of the interval by which a refresh can come early. */
const MAX_JITTER = 0.1;
/** A backed-off set is tried at least every so many intervals. */
const MAX_BACKOFF_INTERVALS = 8;

/** What is known of a set, without times from the future: those are of before the clock was set back. */
export function knownAt(warmed: WarmedSet, now: number): WarmedSet {
  return {
    ...warmed,
    refreshedAt: warmed.refreshedAt.filter((at) => unlessFromFuture(at, now) > 0),
    createdAt: unlessFromFuture(warmed.createdAt, now),
    failedAt: unlessFromFuture(warmed.failedAt, now),
  };
}

/** Whether a set was asked for since its last two refreshes. */
export function isInUse(set: UsedSet, warmed: WarmedSet | undefined): boolean {
  const [beforeLast] = warmed?.refreshedAt.length === 2 ? warmed.refreshedAt : [];
  return beforeLast === undefined || set.lastUsedAt > beforeLast;
}

/**
 * When a set is to be refreshed: an interval after its newest answer began, less a jitter, so that sets that were
 * asked for together drift apart; later after failures. Milliseconds since 1970; 0 for at once.
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

/** Until when a set that failed is left alone: one interval, then two, four, …; 0 where it did not fail. */
export function retryAt({ failures, failedAt }: WarmedSet, intervalMs: number): number {
  if (failures === 0 || failedAt === 0) return 0;
  return failedAt + intervalMs * Math.min(2 ** (failures - 1), MAX_BACKOFF_INTERVALS);
}

/** A number from 0 to 1 that is the same for a set each time. */
export function jitterOf({ hash }: CacheKey): number {
  return parseInt(hash.slice(0, 8), 16) / 0xffff_ffff;
}
