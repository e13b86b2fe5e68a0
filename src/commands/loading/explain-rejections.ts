import { ClickHouseError } from '@clickhouse/client';

import { bareType } from '../../endpoint/type-name.js';
import { mismatch } from './inspect-line.js';
import type { Column } from './columns.js';
import { rejectedRow, type Line, type RejectedLine } from './line-splitter.js';
import { firstPart, shortened } from './load-error.js';
import { readAllowing, readRows, type RowsQuery } from './read-rows.js';

/** Maximum number of a batch's lines that are queried one by one; the command prints no more. */
const MAX_QUERIED = 100;

/** A value that ClickHouse cannot read as one of its column. */
interface Misfit {
  readonly row: Line;
  readonly column: Column;
  readonly value: unknown;
}

/** Explains why ClickHouse cannot read rows. Where each field fits by itself, ClickHouse's own message is the reason. */
export async function explainRejections(query: RowsQuery, rows: readonly Line[]): Promise<RejectedLine[]> {
  const misfits = await misfitsIn(query, rows);
  return Promise.all(
    rows.map(async (row, index) => {
      const misfit = misfits.find((one) => one.row === row);
      if (misfit) return rejectedRow(row, mismatch(misfit.column, misfit.value));
      const message = index < MAX_QUERIED ? await messageAbout(row, query) : '';
      return rejectedRow(row, `ClickHouse cannot read the line${message}`);
    }),
  );
}

/**
 * The values that ClickHouse cannot read. It reads each field as a line of its own, all in one query. Every text
 * fits a string.
 */
export async function misfitsIn(
  { client, shape }: Pick<RowsQuery, 'client' | 'shape'>,
  rows: readonly Line[],
): Promise<readonly Misfit[]> {
  const columns = shape.columns.map((column) => ({ ...column, defaultExpression: '' }));
  const others = columns.filter(({ type }) => bareType(type).name !== 'String');
  const fields = rows.flatMap((row) => {
    const values = JSON.parse(row.text) as Readonly<Record<string, unknown>>;
    return others
      .filter(({ name }) => Object.hasOwn(values, name))
      .map((column) => ({ row, column, value: values[column.name] }));
  });
  const lines = fields.map(({ column, value }, line) => ({
    line,
    text: JSON.stringify({ [column.name]: value }),
  }));
  // Values that are computed from several columns are excluded.
  const fitting = await readRows(
    { client, shape: { columns, computed: [], time: undefined }, expressions: [] },
    lines,
  );
  return fields.filter((_, index) => lines[index] && !fitting.has(lines[index]));
}

async function messageAbout(row: Line, query: RowsQuery): Promise<string> {
  try {
    await readAllowing(0, query, [row]);
    return '';
  } catch (error) {
    if (error instanceof ClickHouseError) return `: ${shortened(firstPart(error.message), 120)}`;
    throw error;
  }
}
