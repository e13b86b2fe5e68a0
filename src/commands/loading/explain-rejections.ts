import { ClickHouseError } from '@clickhouse/client';

import { bareType } from '../../endpoint/type-name.js';
import { mismatch } from './inspect-line.js';
import type { Line, RejectedLine } from './line-splitter.js';
import { firstPart, shortened } from './load-error.js';
import { readAllowing, readRows, type RowsQuery } from './read-rows.js';

/** Maximum number of lines of a batch that are explained; the command prints no more. */
const MAX_EXPLAINED = 100;

/**
 * Explains why ClickHouse cannot read rows. It reads each of their fields as a line of its own, all in one query: a field that
 * it cannot read does not fit its column. Every text fits a string, so for another row ClickHouse's own message is the reason.
 */
export async function explainRejections(query: RowsQuery, rows: readonly Line[]): Promise<RejectedLine[]> {
  const columns = query.shape.columns.map((column) => ({ ...column, defaultExpression: '' }));
  const others = columns.filter(({ type }) => bareType(type).name !== 'String');
  const fields = rows.slice(0, MAX_EXPLAINED).flatMap(({ line, text }) => {
    const values = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return others
      .filter(({ name }) => Object.hasOwn(values, name))
      .map((column) => ({ line, column, value: values[column.name] }));
  });
  // Without what is computed from several columns.
  const shape = { columns, computed: [], time: undefined };
  const lines = fields.map(({ column, value }, line) => ({
    line,
    text: JSON.stringify({ [column.name]: value }),
  }));
  const fitting = await readRows({ client: query.client, shape, expressions: [] }, lines);
  const misfits = fields.filter((_, line) => !fitting.has(line));
  return Promise.all(
    rows.map(async (row, index) => {
      const misfit = misfits.find(({ line }) => line === row.line);
      if (misfit) return { line: row.line, reason: mismatch(misfit.column, misfit.value) };
      const message = index < MAX_EXPLAINED ? await messageAbout(row, query) : '';
      return { line: row.line, reason: `ClickHouse cannot read the line${message}` };
    }),
  );
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
