import { paint, type Target } from '../style.js';
import { textTable } from '../text-table.js';
import type { CheckedEndpoint, Share, TableRead } from '../../check/checked-endpoint.js';

const HEADINGS = ['ENDPOINT', 'STATE', 'ROWS', 'TIME', 'ROWS READ', 'TABLE', 'PARTS', 'GRANULES'];

/** The report as text: a line for each endpoint, and one more for each further ClickHouse table that it reads. */
export function checkTable(checked: readonly CheckedEndpoint[], target: Target): string {
  return textTable([HEADINGS, ...checked.flatMap(rowsOf)], {
    paintCell: (cell, column) => (column === 1 ? colour(cell, target) : cell),
  });
}

/** `FAULT`, `warning`, `no rows` or `ok`. */
function stateOf({ problems, warnings, example }: CheckedEndpoint): string {
  if (problems.length > 0) return 'FAULT';
  if (warnings.length > 0) return 'warning';
  return example?.rows === 0 ? 'no rows' : 'ok';
}

function rowsOf(checked: CheckedEndpoint): readonly (readonly string[])[] {
  const { name, example, tables } = checked;
  const [first = ['-', '-', '-'], ...more] = tables.map(tableCells);
  const run = example
    ? [
        `${number(example.rows)}${example.truncated ? '+' : ''}`,
        `${example.milliseconds.toFixed(1)} ms`,
        number(example.rowsRead),
      ]
    : ['-', '-', '-'];
  return [[name, stateOf(checked), ...run, ...first], ...more.map((cells) => ['', '', '', '', '', ...cells])];
}

const tableCells = ({ table, parts, granules }: TableRead): readonly string[] => [
  table,
  shareText(parts),
  shareText(granules),
];

const shareText = ({ read, of }: Share): string => `${number(read)} of ${number(of)}`;

function colour(cell: string, target: Target): string {
  const state = cell.trim();
  if (state === 'FAULT') return paint('red', cell, target);
  if (state === 'warning' || state === 'no rows') return paint('yellow', cell, target);
  return state === 'ok' ? paint('green', cell, target) : cell;
}

const number = (value: number): string => value.toLocaleString('en');
