import type { WarmingState } from '../../warming/warmer.js';

const isoTime = (milliseconds: number | undefined): string | null =>
  milliseconds === undefined || milliseconds <= 0 ? null : new Date(milliseconds).toISOString();

/** The parameter sets in `GET /warming`: last refresh and its cost, hits since then, and the time of the next refresh. */
export function describeWarming(
  states: readonly WarmingState[],
): readonly Readonly<Record<string, unknown>>[] {
  return states.map(({ endpoint, hash, representation, parameters, uses: requests, warmed, dueAt }) => ({
    endpoint,
    hash,
    representation,
    parameters,
    lastRun: isoTime(warmed?.refreshedAt.at(-1)),
    clickhouseMs: warmed?.lastMs ?? null,
    rowsRead: warmed?.rowsRead ?? null,
    bytesRead: warmed?.bytesRead ?? null,
    failures: warmed?.failures ?? 0,
    requests,
    // The count restarts at zero where a full ledger has forgotten the set.
    hitsSince: Math.max(0, requests - (warmed?.usesAtRefresh ?? 0)),
    nextRun: isoTime(dueAt),
  }));
}
