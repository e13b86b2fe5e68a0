/** Keeps a result until a table that its query read changes. */
export interface UntilChanged {
  readonly untilChanged: true;
  /** Seconds after which a result is no longer used, even if its data has not changed; absent: a day. */
  readonly atMost?: number;
  /** Seconds for which a result is served before the gateway checks the version of its data again; absent: 1. */
  readonly check?: number;
}

/** How an author sets how long results are cached: seconds, not at all, or until the data changes. */
export type Caching = number | 'disabled' | 'until-changed' | UntilChanged;

/** How long results are cached, in one form for both kinds. */
export interface CachingSettings {
  /**
   * Seconds for which a result is fresh, from the moment its query began. Where it is cached until the data changes: seconds until
   * the next confirmation.
   */
  readonly caching: number | 'disabled';
  /** Present where a result is fresh again once ClickHouse confirms that its data did not change. */
  readonly untilChanged?: { readonly atMost: number } | undefined;
}

const DEFAULTS = { atMost: 86_400, check: 1 };

/** Reads the setting of an author. */
export function readCaching(caching: Caching): CachingSettings {
  if (typeof caching === 'number' || caching === 'disabled') return { caching, untilChanged: undefined };
  const { atMost, check } = { ...DEFAULTS, ...(caching === 'until-changed' ? {} : caching) };
  return { caching: check, untilChanged: { atMost } };
}

/** The setting as an author writes it, in its shortest form. */
export function writtenCaching({ caching, untilChanged }: CachingSettings): Caching {
  if (!untilChanged || caching === 'disabled') return caching;
  const { atMost } = untilChanged;
  const isDefault = caching === DEFAULTS.check && atMost === DEFAULTS.atMost;
  return isDefault ? 'until-changed' : { untilChanged: true, atMost, check: caching };
}

/** The caching of an endpoint as a text, for example `cached for 60 s`. */
export function cachingText({ caching, untilChanged }: CachingSettings): string {
  if (caching === 'disabled') return 'not cached';
  if (!untilChanged) return `cached for ${caching} s`;
  return `cached until the data changes, of which it is at most ${caching} s late`;
}
