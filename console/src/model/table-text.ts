import { cellText } from './display.js';
import type { Column, Row } from './endpoint.js';

/** The rows as text for a spreadsheet: cells separated by tabs, whose own tabs and line ends are spaces. */
export function tsvOf(columns: readonly Pick<Column, 'name'>[], rows: readonly Row[]): string {
  const line = (cells: readonly string[]): string =>
    cells.map((cell) => cell.replaceAll(/[\t\r\n]+/g, ' ')).join('\t');
  return [line(columns.map(({ name }) => name)), ...rows.map((row) => line(cellsOf(columns, row)))].join(
    '\n',
  );
}

/** The rows as a table of Markdown. */
export function markdownOf(columns: readonly Pick<Column, 'name'>[], rows: readonly Row[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll(/[\r\n]+/g, ' ').replaceAll(/[|\\]/g, String.raw`\$&`)).join(' | ')} |`;
  return [
    line(columns.map(({ name }) => name)),
    `| ${columns.map(() => '---').join(' | ')} |`,
    ...rows.map((row) => line(cellsOf(columns, row))),
  ].join('\n');
}

const cellsOf = (columns: readonly Pick<Column, 'name'>[], row: Row): readonly string[] =>
  columns.map(({ name }) => cellText(row[name]));
