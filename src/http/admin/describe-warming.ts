import type { WarmingState } from '../../warming/warmer.js';

const isoTime = (milliseconds: number | undefined): string | null =>
  milliseconds === undefined || milliseconds <= 0 ? null : new Date(milliseconds).toISOString();

/** Each set in use: its last refresh and what that cost, what it has earned since, and when it is next. */
export function describeWarming(
  states: readonly WarmingState[],
): readonly Readonly<Record<string, unknown>>[] {
  return states.map(({ endpoint, hash, representation, parameters, uses: asks, warmed, dueAt }) => ({
    endpoint,
    hash,
    representation,
    parameters,
    lastRun: isoTime(warmed?.refreshedAt.at(-1)),
    clickhouseMs: warmed?.lastMs ?? null,
    rowsRead: warmed?.rowsRead ?? null,
    bytesRead: warmed?.bytesRead ?? null,
    failures: warmed?.failures ?? 0,
    asks,
    // A set that dropped out of a full ledger and came back is counted anew.
    hitsSince: Math.max(0, asks - (warmed?.usesAtRefresh ?? 0)),
    nextRun: isoTime(dueAt),
  }));
}
