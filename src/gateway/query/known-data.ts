/** What is known of the data of a result whose endpoint caches until it changes. */
export interface DataOfResult {
  /** Hash over the data parts and definitions of every table that the query reads; equal hashes: the same rows. */
  readonly version: string;
  /** When the tables were last known to have these rows; milliseconds since 1970. */
  readonly confirmedAt: number;
  /**
   * When its query ended, while no version that was read later is known to be the same. The tables may have changed during the
   * query, so that the result must not be served any longer than its query's beginning allows.
   */
  readonly unprovenSince?: ProcessTime;
}

/** A point in time of one process, which no change of its clock moves; milliseconds. */
export interface ProcessTime {
  /** Random, of the process. */
  readonly process: string;
  readonly at: number;
}

/** What a query runs under so that its result belongs to a version of the data. */
export interface KnownData {
  readonly version: string;
  /** The value of `additional_table_filters`: ClickHouse rejects the query where it reads a part that the version does not have. */
  readonly tableFilters: string;
  /** To be called where it did. */
  readonly changed: () => void;
}
