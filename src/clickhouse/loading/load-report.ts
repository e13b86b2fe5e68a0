/** A line that was not loaded: its number in the file, from 1, and why, for people. */
export interface RejectedLine {
  readonly line: number;
  readonly reason: string;
}

/** What a load did. */
export interface LoadReport {
  /** Lines that are in the table now. */
  readonly loaded: number;
  /** Lines that were left out. Blank lines are neither loaded nor refused. */
  readonly rejected: number;
  /** Loaded rows older than `RETENTION_DAYS` before now: ClickHouse will drop them, if it hasn't yet. */
  readonly olderThanRetention: number;
  /** Bytes read from the source as it is: of a compressed one, compressed bytes. */
  readonly bytes: number;
  /** The newest timestamp loaded, as it is in the table, in microseconds since 1970; undefined where nothing was. */
  readonly newest: bigint | undefined;
  /** What was added to every timestamp, in microseconds; 0 without `shiftToNow`. */
  readonly shiftMicroseconds: bigint;
}

/** `copying` standard input aside and `scanning` for the newest timestamp happen only with `shiftToNow`. */
export type LoadPhase = 'copying' | 'scanning' | 'loading';

/** How far a load is; `bytesRead` starts again from 0 with each phase. */
export interface LoadProgress {
  readonly phase: LoadPhase;
  readonly bytesRead: number;
  /** The size of the source, undefined where it can't be known before its end. */
  readonly bytesTotal: number | undefined;
  readonly loaded: number;
  readonly rejected: number;
}
