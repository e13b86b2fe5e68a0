/** SQL that reads the projections of `clickhouse-schema/`. ClickHouse chooses one only where the expressions are exactly its own. */
import {
  all,
  choose,
  FIRST_ROWS,
  isOmitted,
  matches,
  setting,
  sql,
  whenGiven,
  where,
  type Condition,
  type Filter,
  type Reference,
  type Sql,
} from 'querygate';

/** Prevents ClickHouse from comparing the query with the projections of its tables, for a query that none of them can serve. */
export const WITHOUT_PROJECTIONS = setting('optimize_use_projections', 0);

/**
 * Ends a subquery into which ClickHouse must not move a filter from outside. The limit is greater than the number of rows of any
 * table, and removes none.
 */
export const BARRIER = sql`LIMIT 1000000000000`;

/**
 * Lets ClickHouse aggregate rows that are already sorted by the groups one group at a time, so that it can stop at a LIMIT.
 */
const GROUP_IN_ORDER = setting('optimize_aggregation_in_order', 1);

/** Counts of records by day and by nullable columns, for which the table has a projection. */
interface GroupsByDay {
  /** Has a `timestamp`, the columns of the groups, and a projection by `toDate32(timestamp)` and the {@link keyOf} each. */
  readonly table: string;
  /** The column whose key comes first in the projection, and the only value of it that is counted. */
  readonly only?: readonly [column: string, value: string];
  /** Columns of the groups in the order of the response: `Nullable(String)`, plain or `LowCardinality`. */
  readonly groups: Readonly<Record<string, { readonly type: string }>>;
  /** Filters on keys of columns can use the projection; with any other filter ClickHouse reads the records. */
  readonly filters: readonly (Sql | Filter)[];
  /** Both bounds are inclusive; either parameter may be omitted. */
  readonly range: { readonly start: Reference; readonly end: Reference };
  /** The condition of a page, on the columns of the result. */
  readonly after?: Filter;
}

const LOW_CARDINALITY = 'LowCardinality(Nullable(String))';

/**
 * The key of a nullable column: the empty text for null, else `=` and the value. Keys sort byte by byte like the values,
 * with nulls first.
 */
export const keyOf = (column: string): Sql => sql`ifNull('=' || ${text(column)}, '')`;

/** True where a column has the value of a parameter. */
export const hasValue = (column: string, value: Reference | Sql): Sql =>
  sql`${keyOf(column)} = '=' || ${value}`;

/** Filters that compare columns with parameters; each applies where its parameter has a value. */
export const equalTo = (parameters: Readonly<Record<string, Reference>>): readonly Filter[] =>
  Object.entries(parameters).map(([name, value]) => whenGiven(value, hasValue(name, value)));

/**
 * The groups of each day, ordered by day and by the groups with nulls first. The columns are `group_time`, the groups and
 * `total_hits`. Whole days have a query of their own, which can read the projection; the incomplete days at the ends of the
 * range are read from the records.
 */
export function groupsByDay({ table, only, groups, filters, range, after }: GroupsByDay): Sql {
  const names = Object.keys(groups);
  const keys = list(names.map(keyNamed));
  const days = wholeDays(range.start, range.end);
  // Part of GROUP BY and ORDER BY too: ClickHouse stops at the first groups only where these are the whole key.
  const first = only ? sql`${keyOf(only[0])}, ` : sql``;
  const isOnly = only ? [sql`${keyOf(only[0])} = ${text(`'=${only[1]}'`)}`] : [];
  const hits = (terms: readonly (Sql | Filter)[]): Sql => sql`
    SELECT
      toDate32(timestamp) AS day,
      ${list(names.map((name) => sql`${keyOf(name)} AS ${keyNamed(name)}`))},
      count() AS total_hits
    FROM ${text(table)}
    ${where(...isOnly, ...filters, ...terms)}
    GROUP BY ${first}day, ${keys}`;
  const ofCutDays = sql`
    UNION ALL
    ${hits(days.rest(sql`timestamp`))}`;
  return sql`
    SELECT
      toDateTime64(day, 0, 'UTC') AS group_time,
      ${list(Object.entries(groups).map(([name, { type }]) => sql`${valueOf(name, type)} AS ${text(name)}`))},
      total_hits
    FROM (
      ${hits(days.inside(sql`toDate32(timestamp)`))}
      ORDER BY ${first}day, ${keys}
      ${FIRST_ROWS}${GROUP_IN_ORDER}
      ${choose(...days.only.map((condition) => [condition, sql``] as const), ofCutDays)}
    )
    ${after ? where(after) : sql``}
    ORDER BY day, ${keys}`;
}

/** A time range, split into its whole days and the incomplete days at its ends. */
interface WholeDays {
  /** Conditions under which no day is incomplete: each end is omitted or is the boundary of a day. */
  readonly only: readonly Condition[];
  /** Terms for the whole days, on a `Date32`. */
  readonly inside: (day: Sql) => readonly Filter[];
  /** Terms for the incomplete days, on a `DateTime64(6)`; both ends are inclusive. */
  readonly rest: (time: Sql) => readonly (Sql | Filter)[];
}

/** Near the limits of ClickHouse's dates a whole day can count as incomplete, never the reverse. */
function wholeDays(start: Reference, end: Reference): WholeDays {
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

const keyNamed = (name: string): Sql => text(`${name}_key`);

/** The value of a key, with the type of the column. */
function valueOf(name: string, type: string): Sql {
  const value = sql`substring(nullIf(${keyNamed(name)}, ''), 2)`;
  return type === LOW_CARDINALITY ? sql`CAST(${value} AS LowCardinality(Nullable(String)))` : value;
}

/** A text of this project as SQL: a name, or a literal. */
const text = (name: string): Sql => sql(Object.assign([name], { raw: [name] }));

const list = (items: readonly Sql[]): Sql => items.reduce((before, item) => sql`${before}, ${item}`);
