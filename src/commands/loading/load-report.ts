import type { Ttl } from './ttl.js';

/** A line that was not loaded: its number in the file, from 1, and the reason, for people. */
export interface RejectedLine {
  readonly line: number;
  readonly reason: string;
  /** The last line of a record that has several; absent where it has one. */
  readonly lastLine?: number;
}

/** A field of lines that the table does not store. */
export interface UnknownField {
  readonly field: string;
  /** Number of lines with it, rejected ones included. */
  readonly lines: number;
  /** The column that is probably meant. */
  readonly suggestion: string | undefined;
  /** For people: ``unknown field `projekt`; did you mean `project`?``. */
  readonly description: string;
}

/** The result of a load. */
export interface LoadReport {
  /** Number of loaded lines. */
  readonly loaded: number;
  /** Number of rejected lines; blank lines are neither loaded nor rejected. */
  readonly rejected: number;
  /** Loaded rows that the table's TTL deletes, now or soon. */
  readonly olderThanRetention: number;
  /** The TTL that deletes rows of the table. */
  readonly ttl: Ttl | undefined;
  /** The most frequent field first. */
  readonly unknownFields: readonly UnknownField[];
  /** Whether there are more unknown fields than are counted. */
  readonly hasMoreUnknownFields: boolean;
  /** Bytes read from the source; of a compressed source, compressed bytes. */
  readonly bytes: number;
  /** The newest loaded timestamp, as stored, in microseconds since 1970; undefined if no row with a time was loaded. */
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
