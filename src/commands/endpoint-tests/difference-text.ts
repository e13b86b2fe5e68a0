import { styleText } from 'node:util';

import { printable, textTable } from '../cli/text-table.js';
import {
  differentColumns,
  type Comparison,
  type RowDifference,
  type RowsDifference,
} from './compare-rows.js';

/** Rows of a difference that are shown. */
const MAX_SHOWN = 20;
/** Characters of a cell that are shown. */
const MAX_CELL = 40;
/** Columns that are shown although they do not differ, so that a row can be recognised. */
const MAX_COLUMNS = 6;

/**
 * Rows that differ, as a table: `-` before an expected row, `+` before one that came, with `=` for the values that the two
 * share.
 */
export function differenceText(found: RowsDifference, how: Comparison): string {
  const { differences, same, isOtherOrder } = found;
  const shown = differences.slice(0, MAX_SHOWN);
  const columns = shownColumns(shown, how);
  const rows = shown.flatMap((difference) => linesOf(difference, columns, how));
  const table = textTable([['', ...columns], ...rows])
    .trimEnd()
    .split('\n')
    .map((line) => styled(line));
  const more = differences.length - shown.length;
  return [
    isOtherOrder
      ? 'the rows come in another order (- expected, + came):'
      : 'the rows differ (- expected, + came):',
    ...table,
    ...(more > 0 ? [`… and ${more} more`] : []),
    same === 1 ? '1 other row is as expected' : `${same} other rows are as expected`,
  ].join('\n');
}

/** The columns that differ, and the first others. */
function shownColumns(differences: readonly RowDifference[], how: Comparison): readonly string[] {
  const all = [
    ...new Set(differences.flatMap(({ expected, came }) => Object.keys({ ...expected, ...came }))),
  ];
  const different = new Set(
    differences.flatMap((each) => (each.expected && each.came ? differentColumns(each, how) : [])),
  );
  const compared = all.filter((column) => how.only?.includes(column) !== false);
  const others = compared.filter((column) => !different.has(column)).slice(0, MAX_COLUMNS);
  return compared.filter((column) => different.has(column) || others.includes(column));
}

function linesOf(
  difference: RowDifference,
  columns: readonly string[],
  how: Comparison,
): readonly (readonly string[])[] {
  const { expected, came } = difference;
  const different = new Set(differentColumns(difference, how));
  const cells = (row: Readonly<Record<string, unknown>>, isShown: (column: string) => boolean): string[] =>
    columns.map((column) => (isShown(column) ? cellOf(row, column) : '='));
  return [
    ...(expected ? [['-', ...cells(expected, () => true)]] : []),
    ...(came ? [['+', ...cells(came, (column) => !expected || different.has(column))]] : []),
  ];
}

function cellOf(row: Readonly<Record<string, unknown>>, column: string): string {
  if (!Object.hasOwn(row, column)) return '(no column)';
  const value = row[column];
  const text = printable(typeof value === 'string' ? value : JSON.stringify(value, integers));
  const characters = Array.from(text);
  if (value === '') return "''";
  return characters.length > MAX_CELL ? `${characters.slice(0, MAX_CELL).join('')}…` : text;
}

const integers = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value;

function styled(line: string): string {
  const colours = { '-': 'red', '+': 'green' } as const;
  const colour = colours[line[0] as keyof typeof colours] as 'red' | 'green' | undefined;
  return colour ? styleText(colour, line, { stream: process.stdout }) : line;
}
