import { cellText, labelText } from './display.js';
import { isDate, isLabel, isMeasure, isNumber, type Column, type Row } from './endpoint.js';

/** The columns of rows that fit a table with columns for each value of the second one. */
export interface Pivot {
  readonly row: Column;
  readonly column: Column;
  /** Columns of the numbers in the cells. */
  readonly numbers: readonly Column[];
}

/** Maximum columns: a person does not read a table with more. */
const MOST_COLUMNS = 60;

/** Whether a column has small whole numbers only, such as levels, or weeks since a begin. */
export const isLevel = ({ name, type }: Column, rows: readonly Row[]): boolean =>
  isNumber(type) && rows.every((row) => /^\d{1,3}$/.test(cellText(row[name])));

/** How many combinations of values some columns have. */
export const countOf = (rows: readonly Row[], ...columns: readonly Column[]): number =>
  new Set(rows.map((row) => columns.map(({ name }) => cellText(row[name])).join('\0'))).size;

/** The pivot of rows that their first two columns tell apart, one of which is a level; undefined of any others. */
export function pivotOf(
  [row, column, ...others]: readonly Column[],
  rows: readonly Row[],
): Pivot | undefined {
  if (!row || !column) return undefined;
  const numbers = others.filter(isMeasure);
  const kinds = [row, column].map((one) =>
    isLabel(one.type) || isDate(one.type) ? 'name' : isLevel(one, rows) ? 'level' : 'other',
  );
  if (!kinds.includes('level') || kinds.includes('other') || numbers.length === 0) return undefined;
  const width = countOf(rows, column);
  // Where each row has a name of its own, a number beside it is no level, however small.
  const isTable =
    Math.max(width, countOf(rows, row)) < rows.length && countOf(rows, row, column) === rows.length;
  return isTable && width * numbers.length <= MOST_COLUMNS ? { row, column, numbers } : undefined;
}

/** Columns and rows of a table. */
interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

/** A table with a row for each value of the first column of a pivot. */
export function pivoted(pivot: Pivot, rows: readonly Row[]): Table {
  const { row: first, column: second, numbers } = pivot;
  const named = (row: Row): readonly Column[] =>
    numbers.map((number) => {
      const name = `${second.name} ${labelText(cellText(row[second.name]))}`;
      return { ...number, name: numbers.length > 1 ? `${name}: ${number.name}` : name };
    });
  const merged = new Map<string, Row>();
  for (const row of rows) {
    const key = cellText(row[first.name]);
    const cells = named(row).map(({ name }, index) => [name, row[numbers[index]?.name ?? '']] as const);
    const own = Object.fromEntries([[first.name, row[first.name]] as const, ...cells]) as Row;
    merged.set(key, { ...merged.get(key), ...own });
  }
  const all = new Map(rows.flatMap(named).map((column) => [column.name, column]));
  return { columns: [first, ...all.values()], rows: [...merged.values()] };
}
