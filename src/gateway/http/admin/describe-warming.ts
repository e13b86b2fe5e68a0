/** A parameter set that is warmed, as the warmer reports it. */
export interface WarmedSetState {
  readonly endpoint: string;
  readonly hash: string;
  readonly representation: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly uses: number;
  /** The refreshes; undefined before the first. */
  readonly warmed:
    | {
        /** Times of the latest refreshes, oldest first; milliseconds since 1970. */
        readonly refreshedAt: readonly number[];
        /** Milliseconds in ClickHouse, rows and bytes of the latest refresh. */
        readonly lastMs?: number | undefined;
        readonly rowsRead?: number | undefined;
        readonly bytesRead?: number | undefined;
        readonly failures: number;
        readonly usesAtRefresh: number;
      }
    | undefined;
  /** Milliseconds since 1970; 0 means at once. */
  readonly dueAt: number;
}

const isoTime = (milliseconds: number | undefined): string | null =>
  milliseconds === undefined || milliseconds <= 0 ? null : new Date(milliseconds).toISOString();

/** The parameter sets in `GET /warming`: last refresh and its cost, hits since, and the time of the next refresh. */
export function describeWarming(
  states: readonly WarmedSetState[],
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
    // The count of a set that dropped out of a full ledger restarts at zero.
    hitsSince: Math.max(0, requests - (warmed?.usesAtRefresh ?? 0)),
    nextRun: isoTime(dueAt),
  }));
}
