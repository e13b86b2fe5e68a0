/** The results of one endpoint in the local cache now. */
export interface CacheUse {
  readonly endpoint: string;
  readonly entries: number;
  readonly bytes: number;
}

/** Open connections of clients, and counts of closed ones since the start. */
export interface ConnectionUse {
  readonly open: { readonly size: number };
  readonly closed: number;
}

/** The state of a ClickHouse server now, and its retries since the start. */
export interface ServerUse {
  /** Host and port. */
  readonly name: string;
  readonly running: number;
  readonly isEjected: boolean;
  readonly retried: number;
}

/** Figures that are read at each scrape instead of counted as they occur. */
export interface Observed {
  readonly cacheUse: () => readonly CacheUse[];
  readonly isRedisOpen: () => boolean;
  readonly queries: () => {
    readonly running: number;
    readonly waiting: number;
    readonly waitingInteractive: number;
  };
  readonly pool: () => {
    /** Open if every server is ejected. */
    readonly state: 'open' | 'closed';
    readonly rejected: number;
    readonly cancelled: number;
    readonly opened: Readonly<Record<'unreachable' | 'stalled', number>>;
    readonly servers: readonly ServerUse[];
  };
}

/** How the last reload of the endpoints ended, when one was successful last, and how many endpoints cannot run. */
export interface ReloadOutcomes {
  readonly rejected: () => number;
  readonly last: { readonly ok: boolean };
  readonly lastSuccess: Date;
}
