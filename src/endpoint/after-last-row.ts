import type { PageColumn, PageOrder } from './page-order.js';
import { quoteName, quoteText } from './quote-sql.js';
import { AFTER } from './reserved.js';
import {
  choose,
  Filter,
  isOmitted,
  Reference,
  Sql,
  sql,
  textNode,
  type Condition,
  type Query,
} from './sql.js';
import type { Value } from './values.js';

/** The row after which a page begins, for a definition that uses the cursor itself. The condition is omitted on the first page. */
export interface After {
  /**
   * The rows after the last row of the page before, by the columns of `pages.by` under their names. It has a plain bound of the
   * first column, by which ClickHouse skips parts and granules.
   */
  readonly rows: Filter;
  /** The value of a column in that last row. @throws TypeError for a column that `pages.by` does not name */
  readonly last: (column: string) => Sql;
  /** True on the first page. */
  readonly isFirstPage: Condition;
}

/** The values of the last row of a page, in the order of the columns: their texts in hexadecimal, or null. */
export type LastRow = readonly (string | null)[];

/**
 * Bytes of the values of a last row, with two for each value. A response has a cursor of them as a header, and proxies accept
 * headers of 4 kB.
 */
export const MAX_LAST_ROW_BYTES = 2000;

const MARK = new Reference(AFTER, 'UInt8');

/** What follows the last row of a page. */
export function afterLast(order: PageOrder): After {
  const condition = sql`(${conjunction([...boundOf(order), beyondAll(order)])})`;
  return {
    rows: new Filter([MARK], condition),
    last: (name) => {
      const column = order.find((one) => one.name === name);
      if (column) return lastValue(column);
      throw new TypeError(`after.last('${name}') is of no column of pages.by`);
    },
    isFirstPage: isOmitted(MARK),
  };
}

/** The parameters that a later page is bound with. */
export function parametersAfter(order: PageOrder, last: LastRow): readonly (readonly [string, Value])[] {
  const values = order.map(({ parameter }, index) => [parameter, last[index] ?? null] as const);
  return [[AFTER, '1'], ...values];
}

/** A query that selects only these values. ClickHouse rejects it where a value does not belong to the type of its column. */
export function queryOfLast(order: PageOrder): Query {
  const values = order.map((column) => whereNull(column, sql`NULL`, lastValue(column)));
  return { parts: [], body: sql`SELECT ${values.reduce((before, value) => sql`${before}, ${value}`)}` };
}

/** The names of these parameters, which an endpoint with pages cannot declare. */
export function namesAfter(order: PageOrder): readonly string[] {
  return [AFTER, ...order.map(({ parameter }) => parameter)];
}

/** What {@link keyOfValue} is for null. */
export const NULL_KEY = '-';

/**
 * SQL of a text from which {@link lastValue} makes the value of a column again. The text is hexadecimal, because a value need not be
 * UTF-8. Times are in UTC, because the hour that a time zone repeats is ambiguous.
 *
 * @param row alias of the query that has the column
 */
export function keyOfValue({ name, type }: PageColumn, row: string): string {
  const value = `${row}.${quoteName(name)}`;
  const text = /^(?:Fixed)?String\b/.test(type)
    ? value
    : `toString(${isTime(type) ? `toTimeZone(${value}, 'UTC')` : value})`;
  return `ifNull(hex(${text}), '${NULL_KEY}')`;
}

const isTime = (type: string): boolean => type.startsWith('DateTime');

function lastValue(column: PageColumn): Sql {
  const type = typeInUtc(column.type);
  const castTo = quoteText(column.isNullable ? `Nullable(${type})` : type);
  return sql`CAST(unhex(${referenceTo(column)}), ${raw(castTo)})`;
}

function typeInUtc(type: string): string {
  if (!isTime(type)) return type;
  const [, precision] = /^DateTime64\((\d+)/.exec(type) ?? [];
  return precision === undefined ? "DateTime('UTC')" : `DateTime64(${precision}, 'UTC')`;
}

const referenceTo = ({ parameter }: PageColumn): Reference => new Reference(parameter, 'String');

/**
 * The shape of a condition depends on whether the last row has a null, also in a column that is declared without nulls: where the
 * declaration is wrong, no row may get lost. ClickHouse removes what a type without nulls makes constant.
 */
function whereNull(column: PageColumn, ofNull: Sql, ofValue: Sql): Sql {
  return choose([isOmitted(referenceTo(column)), ofNull], ofValue);
}

/** The plain bound of the first column; a comparison of all columns alone prunes nothing. */
function boundOf([first]: PageOrder): readonly Sql[] {
  if (!first) return [];
  const column = nameOf(first);
  const compared = sql`${column} ${raw(first.isDescending ? '<=' : '>=')} ${lastValue(first)}`;
  const withNulls = first.areNullsFirst ? compared : sql`(${compared} OR ${column} IS NULL)`;
  return [whereNull(first, first.areNullsFirst ? sql`true` : sql`${column} IS NULL`, withNulls)];
}

/** Beyond the last row in the first column, or equal there and beyond it in the others. */
function beyondAll([first, ...others]: PageOrder): Sql {
  if (!first) return sql`false`;
  if (others.length === 0) return beyond(first);
  const column = nameOf(first);
  const equal = whereNull(first, sql`${column} IS NULL`, sql`${column} = ${lastValue(first)}`);
  return sql`(${beyond(first)} OR (${equal} AND ${beyondAll(others)}))`;
}

function beyond(column: PageColumn): Sql {
  const name = nameOf(column);
  const compared = sql`${name} ${raw(column.isDescending ? '<' : '>')} ${lastValue(column)}`;
  return column.areNullsFirst
    ? whereNull(column, sql`${name} IS NOT NULL`, compared)
    : whereNull(column, sql`false`, sql`(${compared} OR ${name} IS NULL)`);
}

const nameOf = ({ name }: PageColumn): Sql => raw(quoteName(name));

const conjunction = (terms: readonly Sql[]): Sql =>
  terms.reduce((before, term) => sql`${before} AND ${term}`);

const raw = (text: string): Sql => new Sql([textNode(text)]);
