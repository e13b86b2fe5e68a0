import { cellText } from './display.js';
import type { Column, Row } from './endpoint.js';

/**
 * The rows as text for a spreadsheet: cells separated by tabs, whose own tabs and line ends are spaces. Text that begins like a
 * formula has an apostrophe before it, as with `csv_safe`.
 */
export function tsvOf(columns: readonly Pick<Column, 'name'>[], rows: readonly Row[]): string {
  const line = (cells: readonly string[]): string =>
    cells.map((cell) => cell.replaceAll(/[\t\r\n]+/g, ' ')).join('\t');
  const names = columns.map(({ name }) => withoutFormula(name));
  const lines = rows.map((row) => line(columns.map(({ name }) => harmlessText(row[name]))));
  return [line(names), ...lines].join('\n');
}

/** Numbers stay as they are: the minus of one is no formula. */
const harmlessText = (value: Row[string] | undefined): string =>
  typeof value === 'string' ? withoutFormula(value) : cellText(value);

/** Spreadsheets accept full-width signs too, and remove quotes around what is pasted. */
const withoutFormula = (text: string): string =>
  /^"*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/.test(text) ? `'${text}` : text;

/** The rows as a table of Markdown, in which no value is HTML, a link, an image or code. */
export function markdownOf(columns: readonly Pick<Column, 'name'>[], rows: readonly Row[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll(/[\r\n]+/g, ' ').replaceAll(/[|\\<[!`]/g, String.raw`\$&`)).join(' | ')} |`;
  return [
    line(columns.map(({ name }) => name)),
    `| ${columns.map(() => '---').join(' | ')} |`,
    ...rows.map((row) => line(cellsOf(columns, row))),
  ].join('\n');
}

const cellsOf = (columns: readonly Pick<Column, 'name'>[], row: Row): readonly string[] =>
  columns.map(({ name }) => cellText(row[name]));
