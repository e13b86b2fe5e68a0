import type { Column } from './definition.js';
import { keyOf, valueOf } from './nullable-key.js';
import {
  choose,
  FIRST_ROWS,
  GROUP_IN_ORDER,
  sql,
  Sql,
  whenGiven,
  where,
  type Condition,
  type Filter,
  type Reference,
} from './sql.js';
import { wholeDays } from './whole-days.js';

/** Groups of records by the day and by columns that can be null, of which a rollup keeps the hits. */
export interface GroupsByDay {
  /** Columns of the groups in the order of the answer: `Nullable(String)`, plain or `LowCardinality`. */
  readonly groups: Readonly<Record<string, Pick<Column, 'type'>>>;
  /** Both included; either may be omitted. */
  readonly range: { readonly start: Reference; readonly end: Reference };
  /** A table with `day`, `hits` and, for each group, a `…_key` as {@link keyOf} makes it; it is sorted by these. */
  readonly rollup: { readonly table: string; readonly filters: readonly Filter[] };
  /** The table of the records, with `timestamp` and the columns of the groups. */
  readonly records: { readonly table: string; readonly filters: readonly (Sql | Filter)[] };
}

const FEW = 'LowCardinality(Nullable(String))';

/** Columns that are compared with a parameter, where it is given. */
export type Equalities = Readonly<Record<string, Reference>>;

/**
 * The groups of each day, ordered by the day and by the groups with nulls first: whole days from the rollup, and the days
 * that the range cuts from the records. Columns are `group_time`, the groups and `total_hits`.
 */
export function groupsByDay({ groups, range, rollup, records }: GroupsByDay): Sql {
  const names = Object.keys(groups);
  const keys = list(names.map(keyNamed));
  const days = wholeDays(range.start, range.end);
  const ofWholeDays = sql`
    SELECT day, ${keys}, sum(hits) AS total_hits
    FROM ${identifier(rollup.table)}
    ${where(...rollup.filters, ...days.inside(sql`day`))}
    GROUP BY day, ${keys}
    ORDER BY day, ${keys}
    ${FIRST_ROWS}${GROUP_IN_ORDER}`;
  const ofTheRest = sql`
    UNION ALL
    SELECT
      toDate32(log.timestamp) AS day,
      ${list(names.map((name) => sql`${keyOf(sql`log.${identifier(name)}`)} AS ${keyNamed(name)}`))},
      count() AS total_hits
    FROM ${identifier(records.table)} AS log
    ${where(...records.filters, ...days.rest(sql`log.timestamp`))}
    GROUP BY day, ${keys}`;
  const nothing = days.only.map((condition): readonly [Condition, Sql] => [condition, sql``]);
  return sql`
    SELECT
      toDateTime64(day, 0, 'UTC') AS group_time,
      ${list(Object.entries(groups).map(([name, { type }]) => sql`${valueNamed(name, type)} AS ${identifier(name)}`))},
      total_hits
    FROM (
      ${ofWholeDays}
      ${choose(...nothing, ofTheRest)}
    )
    ORDER BY day, ${keys}`;
}

/** Filters of the records, by columns. */
export const equalTo = (equalities: Equalities): readonly Filter[] =>
  Object.entries(equalities).map(([name, value]) => whenGiven(value, sql`${identifier(name)} = ${value}`));

/** The same of a rollup, by the columns' keys. */
export const keyEqualTo = (equalities: Equalities): readonly Filter[] =>
  Object.entries(equalities).map(([name, value]) =>
    whenGiven(value, sql`${keyNamed(name)} = concat('=', ${value})`),
  );

const keyNamed = (name: string): Sql => identifier(`${name}_key`);

/** A key's value, of the type that the column has. */
function valueNamed(name: string, type: string): Sql {
  const value = valueOf(keyNamed(name));
  return type === FEW ? sql`CAST(${value} AS LowCardinality(Nullable(String)))` : value;
}

/** @throws TypeError where the name could be anything but an identifier. */
function identifier(name: string): Sql {
  if (!/^[a-z]\w*$/i.test(name)) throw new TypeError(`${name} is not the name of a table or column`);
  return new Sql([{ kind: 'text', text: name }]);
}

function list(items: readonly Sql[]): Sql {
  return new Sql(
    items.flatMap((item, index) => [
      { kind: 'text' as const, text: index === 0 ? '' : ', ' },
      { kind: 'fragment' as const, sql: item },
    ]),
  );
}
