import type { Column } from './definition.js';
import {
  choose,
  FIRST_ROWS,
  GROUP_IN_ORDER,
  sql,
  Sql,
  whenGiven,
  where,
  type Filter,
  type Reference,
} from './sql.js';
import { wholeDays } from './whole-days.js';

/** Counts of records by day and by nullable columns, for which the table has a projection. */
export interface GroupsByDay {
  /** Has a `timestamp`, the columns of the groups, and a projection by `toDate32(timestamp)` and the {@link keyOf} each. */
  readonly table: string;
  /** The column whose key comes first in the projection, and the only value of it that is counted. */
  readonly only?: readonly [column: string, value: string];
  /** Columns of the groups in the order of the response: `Nullable(String)`, plain or `LowCardinality`. */
  readonly groups: Readonly<Record<string, Pick<Column, 'type'>>>;
  /** Filters on keys of columns can use the projection; with any other filter ClickHouse reads the records. */
  readonly filters: readonly (Sql | Filter)[];
  /** Both bounds are inclusive; either parameter may be omitted. */
  readonly range: { readonly start: Reference; readonly end: Reference };
}

const LOW_CARDINALITY = 'LowCardinality(Nullable(String))';

/**
 * The key of a nullable column: the empty text for null, else `=` and the value. Keys sort byte by byte like the values,
 * with nulls first.
 */
export const keyOf = (column: string): Sql => sql`ifNull('=' || ${identifier(column)}, '')`;

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
export function groupsByDay({ table, only, groups, filters, range }: GroupsByDay): Sql {
  const names = Object.keys(groups);
  const keys = list(names.map(keyNamed));
  const days = wholeDays(range.start, range.end);
  // Part of GROUP BY and ORDER BY too: ClickHouse stops at the first groups only where these are the whole key.
  const first = only ? sql`${keyOf(only[0])}, ` : sql``;
  const isOnly = only ? [sql`${keyOf(only[0])} = ${text(`=${only[1]}`)}`] : [];
  const hits = (terms: readonly (Sql | Filter)[]): Sql => sql`
    SELECT
      toDate32(timestamp) AS day,
      ${list(names.map((name) => sql`${keyOf(name)} AS ${keyNamed(name)}`))},
      count() AS total_hits
    FROM ${identifier(table)}
    ${where(...isOnly, ...filters, ...terms)}
    GROUP BY ${first}day, ${keys}`;
  const ofCutDays = sql`
    UNION ALL
    ${hits(days.rest(sql`timestamp`))}`;
  return sql`
    SELECT
      toDateTime64(day, 0, 'UTC') AS group_time,
      ${list(Object.entries(groups).map(([name, { type }]) => sql`${valueOf(name, type)} AS ${identifier(name)}`))},
      total_hits
    FROM (
      ${hits(days.inside(sql`toDate32(timestamp)`))}
      ORDER BY ${first}day, ${keys}
      ${FIRST_ROWS}${GROUP_IN_ORDER}
      ${choose(...days.only.map((condition) => [condition, sql``] as const), ofCutDays)}
    )
    ORDER BY day, ${keys}`;
}

const keyNamed = (name: string): Sql => identifier(`${name}_key`);

/** The value of a key, with the type of the column. */
function valueOf(name: string, type: string): Sql {
  const value = sql`substring(nullIf(${keyNamed(name)}, ''), 2)`;
  return type === LOW_CARDINALITY ? sql`CAST(${value} AS LowCardinality(Nullable(String)))` : value;
}

/** @throws TypeError where the name is not an identifier. */
function identifier(name: string): Sql {
  if (!/^[a-z]\w*$/i.test(name)) throw new TypeError(`${name} is not the name of a table or column`);
  return new Sql([{ kind: 'text', text: name }]);
}

/** @throws TypeError where the text would have to be escaped. */
function text(value: string): Sql {
  if (!/^[\w=]*$/.test(value)) throw new TypeError(`${value} is more than a word`);
  return new Sql([{ kind: 'text', text: `'${value}'` }]);
}

function list(items: readonly Sql[]): Sql {
  return new Sql(
    items.flatMap((item, index) => [
      { kind: 'text' as const, text: index === 0 ? '' : ', ' },
      { kind: 'fragment' as const, sql: item },
    ]),
  );
}
