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

/** A range of time as days that lie in it as a whole, and what is left at its two ends. */
export interface WholeDays {
  /** True where nothing is left: neither end is given, or is so that it cuts no day. */
  readonly only: readonly Condition[];
  /** Terms for the whole days, of a `Date32`. */
  readonly inside: (day: Sql) => readonly Filter[];
  /** Terms for the rest, of a `DateTime64(6)`; both ends included. */
  readonly rest: (time: Sql) => readonly (Sql | Filter)[];
}

/**
 * Splits the range from `start` to `end`, both included and either omitted, so that a projection by the day can give what
 * it has, and records the rest. Near the ends of what ClickHouse can hold a day counts as cut, never wrongly as whole.
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
