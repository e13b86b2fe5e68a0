import { paint, type Target } from '../style.js';
import type { CheckedEndpoint, TableEstimate } from './checked-endpoint.js';

const HEADINGS = ['ENDPOINT', 'STATE', 'ROWS', 'TIME', 'ROWS READ', 'ESTIMATE (parts, rows, marks of total)'];

/** The result as text: a line for each endpoint, and one for each further ClickHouse table that it reads. */
export function checkTable(checked: readonly CheckedEndpoint[], target: Target): string {
  const rows = [HEADINGS, ...checked.flatMap(rowsOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => colour(cell.padEnd(widths[column] ?? 0), column, target))
      .join('  ')
      .trimEnd();
  return rows.map((row) => `${line(row)}\n`).join('');
}

/** `FAULT`, `warning` or `ok`. */
export function stateOf({ faults, warnings }: CheckedEndpoint): string {
  if (faults.length > 0) return 'FAULT';
  return warnings.length > 0 ? 'warning' : 'ok';
}

function rowsOf(checked: CheckedEndpoint): readonly (readonly string[])[] {
  const { name, rows, truncated, milliseconds, rowsRead, estimate } = checked;
  const [first, ...more] = estimate.map(estimateText);
  return [
    [
      name,
      stateOf(checked),
      rows === undefined ? '-' : `${number(rows)}${truncated ? '+' : ''}`,
      milliseconds === undefined ? '-' : `${milliseconds.toFixed(1)} ms`,
      rowsRead === undefined ? '-' : number(rowsRead),
      first ?? '-',
    ],
    ...more.map((text) => ['', '', '', '', '', text]),
  ];
}

function estimateText({ table, parts, rows, marks, tableMarks }: TableEstimate): string {
  return `${table}: ${number(parts)}, ${number(rows)}, ${number(marks)} of ${number(tableMarks)}`;
}

function colour(cell: string, column: number, target: Target): string {
  if (column !== 1) return cell;
  const state = cell.trim();
  if (state === 'FAULT') return paint('red', cell, target);
  if (state === 'warning') return paint('yellow', cell, target);
  return state === 'ok' ? paint('green', cell, target) : cell;
}

const number = (value: number): string => value.toLocaleString('en');
