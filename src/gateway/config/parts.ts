/** The query queue: concurrent queries, waiting queries, and milliseconds that a query may wait. */
export interface QueueConfig {
  readonly slots: number;
  /** Exports that run at a time, beside the queries. */
  readonly exportSlots: number;
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
}

/** The endpoints as tools for agents, at `/mcp`. */
export interface McpConfig {
  /** Bytes of the rows of a tool's result. */
  readonly maxToolBytes: number;
}

export interface CacheConfig {
  readonly memoryBytes: number;
  /** Larger results are cached in the process only. */
  readonly maxSharedBytes: number;
  readonly keyPrefix: string;
  readonly staleIfErrorSeconds: number;
}

export interface WarmingConfig {
  readonly maxSets: number;
  readonly concurrency: number;
  /** Seconds in ClickHouse that warming may use for each second that passes. */
  readonly budget: number;
}
