import { styleText } from 'node:util';

import { textTable } from '../text-table.js';
import type { CheckedEndpoint, Share, TableRead } from '../../check/checked-endpoint.js';

const HEADINGS = ['ENDPOINT', 'STATE', 'ROWS', 'TIME', 'ROWS READ', 'TABLE', 'PARTS', 'GRANULES'];

/** The report as text: a line for each endpoint, and one more for each further ClickHouse table that it reads. */
export function checkTable(checked: readonly CheckedEndpoint[], stream: NodeJS.WriteStream): string {
  return textTable([HEADINGS, ...checked.flatMap((endpoint) => rowsOf(endpoint, stream))]);
}

/** Which endpoints can cache until their data changes, and why not. */
export function untilChangedTable(checked: readonly CheckedEndpoint[]): string {
  const rows = checked.map(({ name, untilChanged: { possible, reason = '' } = { possible: false } }) => [
    name,
    possible ? 'possible' : `not possible: ${reason}`,
  ]);
  return textTable([['ENDPOINT', 'CACHING UNTIL-CHANGED'], ...rows]);
}

/** `FAULT`, `warning`, `no rows` or `ok`. */
function stateOf({ problems, warnings, example }: CheckedEndpoint, stream: NodeJS.WriteStream): string {
  if (problems.length > 0) return styleText('red', 'FAULT', { stream });
  if (warnings.length > 0) return styleText('yellow', 'warning', { stream });
  return example?.rows === 0
    ? styleText('yellow', 'no rows', { stream })
    : styleText('green', 'ok', { stream });
}

function rowsOf(checked: CheckedEndpoint, stream: NodeJS.WriteStream): readonly (readonly string[])[] {
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
    [name, stateOf(checked, stream), ...run, ...first],
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
