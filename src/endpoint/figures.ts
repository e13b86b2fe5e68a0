/** The gateway's own accounting: log, metrics, traces, limits, warming, the admin API and commands. */
export const OPERATORS = 'operators';

/** Who reads figures: operators, or a caller, who sees either every row of the tables or only its own. */
export type Reader = typeof OPERATORS | { readonly seesEveryRow: boolean };

/** A caller who may see every row of what its queries read. */
export const EVERY_ROW_READER: Reader = { seesEveryRow: true };

/** A caller with pinned parameters, or with SQL of its own. */
export const OWN_ROWS_READER: Reader = { seesEveryRow: false };

/**
 * What ClickHouse computed over the rows that a query read. ClickHouse reads whole granules, and evaluates a caller's filters over
 * rows of other tenants in them. So such a figure reveals whether any of those rows matches. Every read of a figure names its
 * reader; JSON contains no figure (decision 31).
 */
export class Figures<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  /** The value; undefined for a caller who may not see every row. */
  readBy(reader: typeof OPERATORS): T;
  readBy(reader: Reader): T | undefined;
  readBy(reader: Reader): T | undefined {
    return reader === OPERATORS || reader.seesEveryRow ? this.#value : undefined;
  }
}
