import { cutToWidth, displayWidth } from './display-width.js';
import { fitColumns, GAP } from './fit-columns.js';

/** How a table is laid out. */
export interface TableLayout {
  /** Columns of the terminal that the lines must fit into; unlimited where absent. */
  readonly available?: number | undefined;
  /** Columns that are left out rather than cut. */
  readonly whole?: ReadonlySet<number>;
  /** The least width of a column that is cut. */
  readonly least?: number;
  /** Columns whose cells are aligned to the right. */
  readonly right?: ReadonlySet<number>;
  /** Called with each padded cell, its column and its row, where the first is 0. */
  readonly paintCell?: (cell: string, column: number, row: number) => string;
}

/** A table, and what of it did not fit. */
export interface FittedTable {
  readonly text: string;
  /** Whether some cell is cut. */
  readonly isCut: boolean;
  /** Columns at the end that are left out. */
  readonly omitted: number;
}

/** Rows of cells as aligned lines, with spaces between columns and none at the ends of lines. */
export const textTable = (rows: readonly (readonly string[])[], layout: TableLayout = {}): string =>
  fittedTable(rows, layout).text;

/** As {@link textTable}, with what did not fit. Cells must not contain control characters. */
export function fittedTable(
  rows: readonly (readonly string[])[],
  {
    available = Infinity,
    whole = new Set(),
    least = 8,
    right = new Set(),
    paintCell = (cell) => cell,
  }: TableLayout,
): FittedTable {
  const natural = naturalWidths(rows);
  const widths = fitColumns(natural, available, { whole, least });
  const padded = (cell: string, column: number): string => {
    const width = widths[column] ?? 0;
    const shown = cutToWidth(cell, width);
    const spaces = ' '.repeat(Math.max(0, width - displayWidth(shown)));
    return right.has(column) ? spaces + shown : shown + spaces;
  };
  const line = (row: readonly string[], index: number): string =>
    widths
      .map((_, column) => paintCell(padded(row[column] ?? '', column), column, index))
      .join(' '.repeat(GAP))
      .trimEnd();
  return {
    text: rows.map((row, index) => `${line(row, index)}\n`).join(''),
    isCut: widths.some((width, column) => width < (natural[column] ?? 0)),
    omitted: natural.length - widths.length,
  };
}

function naturalWidths(rows: readonly (readonly string[])[]): readonly number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, displayWidth(cell));
  }
  return widths;
}
