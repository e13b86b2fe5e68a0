/** The current results of one endpoint in the local cache. */
export interface CacheUse {
  readonly endpoint: string;
  readonly entries: number;
  readonly bytes: number;
}

/** What a gateway can do with Redis now. */
export type RedisState = 'not configured' | 'in use' | 'circuit open' | 'rejects commands';

/** Figures that are read at each scrape instead of counted as events occur. Counts start with the process. */
export interface Observed {
  readonly cacheUse: readonly CacheUse[];
  readonly redis: RedisState;
  readonly queries: {
    readonly running: number;
    readonly waiting: number;
    readonly waitingInteractive: number;
  };
  readonly exports: { readonly running: number; readonly waiting: number };
  readonly statements: { readonly running: number; readonly waiting: number };
  readonly pool: {
    /** Open if every server is ejected. */
    readonly state: 'open' | 'closed';
    readonly rejected: number;
    readonly cancelled: number;
    readonly opened: Readonly<Record<'unreachable' | 'stalled', number>>;
    readonly servers: readonly {
      /** Host and port, as configured. */
      readonly name: string;
      readonly running: number;
      readonly isEjected: boolean;
      readonly retried: number;
    }[];
  };
  /** How the last reload of the endpoints ended, when the last successful one ended, and how many endpoints cannot run. */
  readonly reloads: {
    readonly rejected: () => number;
    readonly last: { readonly ok: boolean };
    readonly lastSuccess: Date;
  };
  /** Requests that the request log did not write. */
  readonly requestLog: { readonly dropped: number; readonly skipped: number };
  /** Lines that the log lost. */
  readonly log: { readonly lost: number };
  /** Connections of the public API and of the SQL listener. */
  readonly connections: readonly { readonly open: { readonly size: number }; readonly closed: number }[];
}
