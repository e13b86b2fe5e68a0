/** What is known of the data of a result whose endpoint caches until it changes. */
export interface DataOfResult {
  /** Hash over the data parts and definitions of every table that the query reads; equal hashes: the same rows. */
  readonly version: string;
  /** When the tables were last known to have these rows; milliseconds since 1970. */
  readonly confirmedAt: number;
}

/** The state of the tables of a query, with the partitions of one of them. */
export interface PartitionedData {
  /** As {@link DataOfResult} has it. */
  readonly version: string;
  /** Of everything but the partitions. */
  readonly rest: string;
  /** When it was read; milliseconds since 1970. */
  readonly readAt: number;
  /** In the order of their times. */
  readonly partitions: readonly DataPartition[];
  /** Whether the query reads what is after the begin of its range, and not what is at it. */
  readonly isFromExcluded: boolean;
  /** Whether a query found the tables changed, and each read of their version since then. */
  readonly isMoving: boolean;
  /** The value of `additional_table_filters` for the rows of the table for which a condition holds. */
  readonly filters: (condition: string) => string;
  /** As well, where ClickHouse rejects the query if it reads a part that the version does not have. */
  readonly versionFilters: (condition: string) => string;
  /** To be called where it did. */
  readonly changed: () => void;
}

/** A partition of a table that has rows. */
export interface DataPartition {
  readonly id: string;
  /** Over its data parts, those with updates of rows among them; equal hashes: the same rows. */
  readonly hash: string;
  /** Seconds since 1970 of its first and its last row, without fractions; 0 where the partition key has no DateTime. */
  readonly since: number;
  readonly until: number;
}

/** What a query runs under so that its result belongs to a version of the data. */
export interface KnownData {
  readonly version: string;
  /** The value of `additional_table_filters`: ClickHouse rejects the query where it reads a part that the version does not have. */
  readonly tableFilters: string;
  /** To be called where it did. */
  readonly changed: () => void;
}
