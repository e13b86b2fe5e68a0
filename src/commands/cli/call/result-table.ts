import { parse } from 'lossless-json';

import { paint, type Target } from '../style.js';
import { fittedTable } from '../text-table.js';
import { cellText, printable } from './cell-text.js';

/** Rows that a terminal shows; more would scroll the first ones away. */
const MAX_ROWS = 200;

/** A result as a table for people. */
export interface ResultTable {
  readonly text: string;
  /** What of the result the table does not show, for people; empty where it shows everything. */
  readonly notes: readonly string[];
}

interface Result {
  readonly meta: readonly { readonly name: string; readonly type: string }[];
  readonly data: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Shows the body of a response of the format `json-table` as a table.
 *
 * @param columns of the terminal; absent where the table need not fit: then everything is shown.
 * @throws SyntaxError where the body is not JSON.
 */
export function resultTable(body: string, columns: number | undefined, target: Target): ResultTable {
  const { meta, data } = parse(body) as Result;
  const shown = columns === undefined ? data : data.slice(0, MAX_ROWS);
  const isNull = (row: number, column: number): boolean =>
    row > 0 && (shown[row - 1]?.[meta[column]?.name ?? ''] ?? null) === null;
  const { text, isCut, omitted } = fittedTable(
    [
      meta.map(({ name }) => printable(name)),
      ...shown.map((row) => meta.map(({ name }) => cellText(row[name]))),
    ],
    {
      available: columns,
      right: new Set([...meta.entries()].filter(([, { type }]) => isNumeric(type)).map(([at]) => at)),
      paintCell: (cell, column, row) => {
        if (row === 0) return paint('bold', cell, target);
        return isNull(row, column) ? paint('dim', cell, target) : cell;
      },
    },
  );
  return {
    text,
    notes: notesOf(data.length, shown.length, { isCut, omitted: meta.slice(meta.length - omitted) }),
  };
}

/** Whether the values of a ClickHouse type are numbers. */
const isNumeric = (type: string): boolean =>
  /^(?:(?:Nullable|LowCardinality)\()*(?:U?Int|Float|BFloat|Decimal)\d*\b/.test(type);

function notesOf(
  rows: number,
  shown: number,
  { isCut, omitted }: { readonly isCut: boolean; readonly omitted: Result['meta'] },
): readonly string[] {
  if (rows === 0) return ['no rows'];
  const names = omitted.map(({ name }) => printable(name)).join(', ');
  const left = [
    ...(rows > shown ? [`the first ${shown} of ${rows} rows are shown`] : []),
    ...(names === '' ? [] : [`the terminal is too narrow for the columns ${names}`]),
    ...(isCut ? ['values with … are cut'] : []),
  ];
  return left.length === 0 ? [] : [`${left.join('; ')}: --format csv or a pipe has everything`];
}
