/** At most `quota` units in any window of `window` seconds. */
export interface Quota {
  readonly quota: number;
  /** Seconds. */
  readonly window: number;
}

/** What limits count over a window: requests, and their cost in ClickHouse (cache hits cost nothing). */
export const COUNTED = ['requests', 'rowsRead', 'bytesRead', 'clickhouseMs'] as const;

export type Counted = (typeof COUNTED)[number];

/** What a query cost, as ClickHouse reports it: rows and uncompressed bytes that it read, milliseconds that it took. */
export type QueryCost = Readonly<Record<Exclude<Counted, 'requests'>, number>>;

/** The limits of a key or of an endpoint; an absent limit means unlimited. */
export type LimitRules = Readonly<Partial<Record<Counted, Quota>>> & {
  /** Maximum number of concurrent queries in ClickHouse. */
  readonly concurrent?: number;
};
