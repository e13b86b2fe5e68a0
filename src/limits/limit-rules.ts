import Joi from 'joi';

/** At most `quota` units in any window of `window` seconds. */
export interface Quota {
  readonly quota: number;
  /** Seconds. */
  readonly window: number;
}

/** What is counted over a window: requests, and what their queries cost in ClickHouse (hits cost nothing). */
export const COUNTED = ['requests', 'rowsRead', 'bytesRead', 'clickhouseMs'] as const;

export type Counted = (typeof COUNTED)[number];

/** The limits of a key or of an endpoint; what is not named is not limited. */
export type LimitRules = Readonly<Partial<Record<Counted, Quota>>> & {
  /** Queries in ClickHouse at a time. */
  readonly concurrent?: number;
};

const QUOTA = Joi.object<Quota>({
  quota: Joi.number().integer().min(1).max(Number.MAX_SAFE_INTEGER).required(),
  window: Joi.number().integer().min(1).max(86_400).required(),
});

/** As limits stand in the keys' file, in a token's claims and in the endpoints' settings. */
export const LIMIT_RULES = Joi.object<LimitRules>({
  requests: QUOTA,
  rowsRead: QUOTA,
  bytesRead: QUOTA,
  clickhouseMs: QUOTA,
  concurrent: Joi.number().integer().min(1).max(10_000),
});
