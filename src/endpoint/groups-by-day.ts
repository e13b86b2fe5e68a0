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

/** Groups of records by the day and by columns that can be null, of which the table keeps a projection. */
export interface GroupsByDay {
  /** With a `timestamp`, the columns of the groups, and a projection of {@link keyOf} them by `toDate32(timestamp)`. */
  readonly table: string;
  /** A column whose key comes first in the projection, and the one value that counts. */
  readonly only?: readonly [column: string, value: string];
  /** Columns of the groups in the order of the response: `Nullable(String)`, plain or `LowCardinality`. */
  readonly groups: Readonly<Record<string, Pick<Column, 'type'>>>;
  /** By the keys of columns, so that the projection has what they test; any other one has ClickHouse read the records. */
  readonly filters: readonly (Sql | Filter)[];
  /** Both included; either may be omitted. */
  readonly range: { readonly start: Reference; readonly end: Reference };
}

const FEW = 'LowCardinality(Nullable(String))';

/**
 * The key of a column that can be null: empty for null, else `=` and the value. Keys sort as the values do with nulls
 * first, byte by byte.
 */
export const keyOf = (column: string): Sql => sql`ifNull('=' || ${identifier(column)}, '')`;

/** True where a column has the value of a parameter. */
export const hasValue = (column: string, value: Reference | Sql): Sql =>
  sql`${keyOf(column)} = '=' || ${value}`;

/** Filters on columns, each with the parameter that it is compared with, where that is given. */
export const equalTo = (parameters: Readonly<Record<string, Reference>>): readonly Filter[] =>
  Object.entries(parameters).map(([name, value]) => whenGiven(value, hasValue(name, value)));

/**
 * The groups of each day, ordered by the day and by the groups with nulls first. Columns are `group_time`, the groups and
 * `total_hits`. Whole days are a query of their own, which a projection by the day can answer; what the range cuts of its
 * first and last day comes from the records.
 */
export function groupsByDay({ table, only, groups, filters, range }: GroupsByDay): Sql {
  const names = Object.keys(groups);
  const keys = list(names.map(keyNamed));
  const days = wholeDays(range.start, range.end);
  // Grouped and ordered by as well, since ClickHouse stops at the first groups only where they are the whole key.
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

/** A key's value, of the type that the column has. */
function valueOf(name: string, type: string): Sql {
  const value = sql`substring(nullIf(${keyNamed(name)}, ''), 2)`;
  return type === FEW ? sql`CAST(${value} AS LowCardinality(Nullable(String)))` : value;
}

/** @throws TypeError where the name could be anything but an identifier. */
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
