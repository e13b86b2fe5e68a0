import { parse } from 'lossless-json';

import { bareType } from '../../endpoint/type-name.js';
import type { Column, RowShape } from './columns.js';
import { mismatch } from './inspect-line.js';
import type { Line } from './line-splitter.js';
import { readColumn, readRows, type RowsQuery } from './read-rows.js';
import { canBeNull, isNumber, sameValue, type IsSame } from './same-value.js';

/** The fields of a line. */
type Fields = Readonly<Record<string, unknown>>;

/** A row that ClickHouse can read. */
export interface ReadRow {
  /** Values of the expressions. */
  readonly values: readonly unknown[];
  /** What ClickHouse would change to store the row. */
  readonly change: { readonly column: string; readonly reason: string } | undefined;
}

/** A column that lines set. */
interface SetColumn {
  readonly column: Column;
  /** Absent where only null has another value: a text has one form. */
  readonly isSame: IsSame | undefined;
  readonly needsValue: boolean;
  /** Place of the stored value behind those of the expressions. */
  readonly at: number;
}

/**
 * Makes ClickHouse read rows, and compares the values with those in the lines. No setting of ClickHouse prevents it from clamping
 * dates, wrapping integers or cutting fractions.
 *
 * @returns the rows that ClickHouse can read.
 */
export async function readUnchanged(
  query: RowsQuery,
  rows: readonly Line[],
): Promise<ReadonlyMap<Line, ReadRow>> {
  const { shape, expressions } = query;
  const columns = setColumns(shape, expressions.length);
  const parseLine = parserOf(columns);
  const fieldsByRow = new Map(rows.map((row) => [row, parseLine(row.text)]));
  const stored = columns.flatMap(({ column, isSame }) => (isSame ? [readColumn(shape, column.name)] : []));
  const read = await readRows({ ...query, expressions: [...expressions, ...stored] }, rows);
  return new Map(
    [...read].map(([row, values]) => [
      row,
      { values, change: changeOf(columns, fieldsByRow.get(row) ?? {}, values) },
    ]),
  );
}

function setColumns({ columns, isInferred = false }: RowShape, first: number): readonly SetColumn[] {
  let at = first;
  return columns.map((column) => {
    const { name } = bareType(column.type);
    const needsValue = isInferred && name !== 'Array' && !canBeNull(column.type);
    if (name === 'String') return { column, isSame: undefined, needsValue, at: -1 };
    const compare = sameValue(column.type);
    const isSame: IsSame =
      isInferred && /^(?:Bool|Date)/.test(name)
        ? (written, stored) => !isNumber(written) && compare(written, stored)
        : compare;
    return { column, isSame, needsValue, at: at++ };
  });
}

/** An integer that JavaScript's numbers may not hold. */
const LONG_INTEGER = /(?:^|[^.\d])\d{16}/;
/** Matches numbers of which a double may not hold all digits. */
const LONG_NUMBER = /[\d.]{16}|\d[eE]/;
/** Types that keep more digits of a fraction than a float. */
const EXACT = /Decimal|JSON|Object|Dynamic|Variant/;

/** Long numbers keep their text, which costs much. */
function parserOf(columns: readonly SetColumn[]): (text: string) => Fields {
  const isLong = columns.some(({ column }) => EXACT.test(column.type)) ? LONG_NUMBER : LONG_INTEGER;
  return (text) => (isLong.test(text) ? parseLossless(text) : (JSON.parse(text) as Fields));
}

/** The fields of a line, with the text of each number; of fields with the same name the last. */
export const parseLossless = (text: string): Fields =>
  parse(text, undefined, { onDuplicateKey: ({ newValue }) => newValue }) as Fields;

function changeOf(
  columns: readonly SetColumn[],
  fields: Fields,
  values: readonly unknown[],
): ReadRow['change'] {
  for (const { column, isSame, needsValue, at } of columns) {
    const value = Object.hasOwn(fields, column.name) ? fields[column.name] : undefined;
    if (value === undefined && !needsValue) continue;
    if (value === undefined || value === null) {
      if (column.defaultExpression !== '' || canBeNull(column.type)) continue;
      const what = value === null ? 'is null' : 'has no value';
      const reason = `${column.name} ${what}, and ${column.type} has neither null nor a default`;
      return { column: column.name, reason };
    }
    if (isSame?.(value, values[at]) === false)
      return { column: column.name, reason: mismatch(column, value, values[at]) };
  }
  return undefined;
}
