import { displayWidth } from './display-width.js';

/** How a table is laid out. */
export interface TableLayout {
  /** Columns whose cells are aligned to the right. */
  readonly right?: ReadonlySet<number>;
  /** Called with each padded cell and its column. */
  readonly paintCell?: (cell: string, column: number) => string;
}

/** Rows of cells as aligned lines, two spaces between columns; no spaces at the ends of lines. */
export function textTable(
  rows: readonly (readonly string[])[],
  { right = new Set(), paintCell = (cell) => cell }: TableLayout = {},
): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, displayWidth(cell));
  }
  const padded = (cell: string, column: number): string => {
    const spaces = ' '.repeat((widths[column] ?? 0) - displayWidth(cell));
    return right.has(column) ? spaces + cell : cell + spaces;
  };
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => paintCell(padded(cell, column), column))
      .join('  ')
      .trimEnd();
  return rows.map((row) => `${line(row)}\n`).join('');
}
