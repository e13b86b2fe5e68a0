import {
  all,
  choose,
  isOmitted,
  matches,
  sql,
  whenGiven,
  type Condition,
  type Filter,
  type Reference,
  type Sql,
} from './sql.js';

/** A time range, split into its whole days and the incomplete days at its ends. */
export interface WholeDays {
  /** Conditions under which no day is incomplete: each end is omitted or is the boundary of a day. */
  readonly only: readonly Condition[];
  /** Terms for the whole days, on a `Date32`. */
  readonly inside: (day: Sql) => readonly Filter[];
  /** Terms for the incomplete days, on a `DateTime64(6)`; both ends are inclusive. */
  readonly rest: (time: Sql) => readonly (Sql | Filter)[];
}

/**
 * Splits the range from `start` to `end`, so that a query can read whole days from a projection by day, and the other days
 * from the records. Both ends are inclusive; either may be omitted. Near the limits of ClickHouse's dates a whole day can
 * count as incomplete, never the reverse.
 */
export function wholeDays(start: Reference, end: Reference): WholeDays {
  const dayBefore = sql`toDate32(${start} - INTERVAL 1 MICROSECOND)`;
  const dayAfter = sql`toDate32(${end} + INTERVAL 1 MICROSECOND)`;
  const starts = [isOmitted(start), matches(start, / 00:00:00\.000000$/)];
  const ends = [isOmitted(end), matches(end, / 23:59:59\.999999$/)];
  return {
    only: starts.flatMap((first) => ends.map((last) => all(first, last))),
    inside: (day) => [
      whenGiven(start, sql`${day} > ${dayBefore}`),
      whenGiven(end, sql`${day} < ${dayAfter}`),
    ],
    rest: (time) => [
      whenGiven(start, sql`${time} >= ${start}`),
      whenGiven(end, sql`${time} <= ${end}`),
      choose(
        [isOmitted(end), sql`toDate32(${time}) <= ${dayBefore}`],
        [isOmitted(start), sql`toDate32(${time}) >= ${dayAfter}`],
        sql`(toDate32(${time}) <= ${dayBefore} OR toDate32(${time}) >= ${dayAfter})`,
      ),
    ],
  };
}
