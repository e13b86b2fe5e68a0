/** Queries at a time, and those that wait. */
export interface AdmissionConfig {
  readonly slots: number;
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
}

/** How tokens of another issuer are verified. */
export interface TokenConfig {
  readonly secret: string | undefined;
  readonly jwksUrl: string | undefined;
  readonly issuer: string;
  readonly audience: string;
}

export interface CacheConfig {
  readonly memoryBytes: number;
  /** Larger answers are kept in the process alone. */
  readonly maxSharedBytes: number;
  readonly keyPrefix: string;
  readonly staleIfErrorSeconds: number;
}

export interface WarmingConfig {
  readonly maxSets: number;
  readonly concurrency: number;
  /** Share of wall time that warming may spend in ClickHouse. */
  readonly budget: number;
}
