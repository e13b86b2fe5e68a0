/** A line that was not loaded: its number in the file, from 1, and the reason, for people. */
export interface RejectedLine {
  readonly line: number;
  readonly reason: string;
}

/** The result of a load. */
export interface LoadReport {
  /** Number of loaded lines. */
  readonly loaded: number;
  /** Number of rejected lines; blank lines are neither loaded nor rejected. */
  readonly rejected: number;
  /** Loaded rows older than `RETENTION_DAYS`: ClickHouse drops them, now or soon. */
  readonly olderThanRetention: number;
  /** Bytes read from the source; of a compressed source, compressed bytes. */
  readonly bytes: number;
  /** The newest loaded timestamp, as stored, in microseconds since 1970; undefined if no row was loaded. */
  readonly newest: bigint | undefined;
  /** The shift of every timestamp, in microseconds; 0 without `shiftToNow`. */
  readonly shiftMicroseconds: bigint;
}

/** `copying` standard input to a file, and `scanning` for the newest timestamp, happen only with `shiftToNow`. */
export type LoadPhase = 'copying' | 'scanning' | 'loading';

/** The progress of a load; `bytesRead` restarts from 0 in each phase. */
export interface LoadProgress {
  readonly phase: LoadPhase;
  readonly bytesRead: number;
  /** The size of the source; undefined if unknown before its end. */
  readonly bytesTotal: number | undefined;
  readonly loaded: number;
  readonly rejected: number;
}
