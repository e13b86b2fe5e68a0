import { paint, type Target } from '../style.js';
import { textTable } from '../text-table.js';
import type { CheckedEndpoint, Share, TableRead } from '../../check/checked-endpoint.js';

const HEADINGS = ['ENDPOINT', 'STATE', 'ROWS', 'TIME', 'ROWS READ', 'TABLE', 'PARTS', 'GRANULES'];

/** The report as text: a line for each endpoint, and one more for each further ClickHouse table that it reads. */
export function checkTable(checked: readonly CheckedEndpoint[], target: Target): string {
  return textTable([HEADINGS, ...checked.flatMap((endpoint) => rowsOf(endpoint, target))]);
}

/** `FAULT`, `warning`, `no rows` or `ok`. */
function stateOf({ problems, warnings, example }: CheckedEndpoint, target: Target): string {
  if (problems.length > 0) return paint('red', 'FAULT', target);
  if (warnings.length > 0) return paint('yellow', 'warning', target);
  return example?.rows === 0 ? paint('yellow', 'no rows', target) : paint('green', 'ok', target);
}

function rowsOf(checked: CheckedEndpoint, target: Target): readonly (readonly string[])[] {
  const { name, example, tables } = checked;
  const [first = ['-', '-', '-'], ...more] = tables.map(tableCells);
  const run = example
    ? [
        `${number(example.rows)}${example.truncated ? '+' : ''}`,
        `${example.milliseconds.toFixed(1)} ms`,
        number(example.rowsRead),
      ]
    : ['-', '-', '-'];
  return [
    [name, stateOf(checked, target), ...run, ...first],
    ...more.map((cells) => ['', '', '', '', '', ...cells]),
  ];
}

const tableCells = ({ table, parts, granules }: TableRead): readonly string[] => [
  table,
  shareText(parts),
  shareText(granules),
];

const shareText = ({ read, of }: Share): string => `${number(read)} of ${number(of)}`;

const number = (value: number): string => value.toLocaleString('en');
