/** Version of the data of a result whose endpoint caches until the data changes. */
export interface DataOfResult {
  /** Hash over the data parts and definitions of every table that the query reads. Equal hashes mean the same rows. */
  readonly version: string;
  /** Last time at which the tables were known to have these rows, in milliseconds since 1970. */
  readonly confirmedAt: number;
}

/** State of the tables of a query, with the partitions of one of them. */
export interface PartitionedData {
  /** Version, as in {@link DataOfResult}. */
  readonly version: string;
  /** Hash of everything except these partitions. */
  readonly rest: string;
  /** Time of the read, in milliseconds since 1970. */
  readonly readAt: number;
  /** Partitions in the order of their times. */
  readonly partitions: readonly DataPartition[];
  /** Whether the range of the query excludes its first moment. */
  readonly isFromExcluded: boolean;
  /** Whether the tables keep changing: a query found a change, and no read of the version since then has confirmed one. */
  readonly isMoving: boolean;
  /** Value of `additional_table_filters` that selects the table's rows for which a condition is true. */
  readonly filters: (condition: string) => string;
  /** The same, but ClickHouse rejects the query if it reads a data part that the version does not have. */
  readonly versionFilters: (condition: string) => string;
  /** Must be called when ClickHouse rejected a query so. */
  readonly changed: () => void;
}

/** A partition of a table that has rows. */
export interface DataPartition {
  readonly id: string;
  /** Hash over its data parts, including patch parts. Equal hashes mean the same rows. */
  readonly hash: string;
  /** Time of its first row (`until`: of its last), in whole seconds since 1970. 0 where the partition key has no DateTime. */
  readonly since: number;
  readonly until: number;
}

/** Version under which a query runs, so that its result belongs to it. */
export interface KnownData {
  readonly version: string;
  /** Value of `additional_table_filters`. With it ClickHouse rejects the query if it reads a data part that the version does not have. */
  readonly tableFilters: string;
  /** Must be called when ClickHouse rejected the query so. */
  readonly changed: () => void;
}
