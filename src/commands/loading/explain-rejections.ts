import { ClickHouseError } from '@clickhouse/client';

import type { Row } from './row.js';
import { firstPart } from './load-error.js';
import type { RejectedLine } from './load-report.js';
import { readRow, readRows, type RowsQuery } from './read-rows.js';
import { mismatch, printable, UNREADABLE } from './rejection-reasons.js';
import { bareType } from '../../endpoint/type-name.js';
import type { Column } from './column.js';

/** Maximum number of lines of a batch that are explained by a query each. */
const MAX_SINGLE_QUERIES = 100;

/**
 * Explains why ClickHouse cannot read rows. One query per column that is not a string finds, for any number of rows,
 * those whose value does not fit: all other columns are read as strings.
 */
export async function explainRejections(query: RowsQuery, rows: readonly Row[]): Promise<RejectedLine[]> {
  if (rows.length === 0) return [];
  const { columns } = query.shape;
  const strings = columns.map(asString);
  const asStrings = withColumns(query, strings);
  const wellFormed = await readRows(asStrings, rows);
  const [malformed, others] = divide(rows, (row) => !wellFormed.has(row.line));
  const rejected = await explainEach(asStrings, malformed);
  let unexplained = others;
  for (const column of columns.filter((candidate) => bareType(candidate.type).name !== 'String')) {
    if (unexplained.length === 0) break;
    const one = strings.map((each) => (each.name === column.name ? { ...each, type: column.type } : each));
    const fitting = await readRows(withColumns(query, one), unexplained);
    const [misfits, rest] = divide(unexplained, (row) => !fitting.has(row.line));
    rejected.push(
      ...misfits.map((row) => ({ line: row.line, reason: mismatch(column, valueOf(row, column)) })),
    );
    unexplained = rest;
  }
  return [...rejected, ...(await explainEach(query, unexplained))];
}

function asString({ name }: Column): Column {
  return { name, type: 'String', defaultExpression: '' };
}

/** Without what is computed from columns, which needs their own types. */
function withColumns(query: RowsQuery, columns: readonly Column[]): RowsQuery {
  const shape = { ...query.shape, columns, computed: [], time: undefined };
  return { client: query.client, shape, expressions: [] };
}

function divide(rows: readonly Row[], belongs: (row: Row) => boolean): [readonly Row[], readonly Row[]] {
  return [rows.filter(belongs), rows.filter((row) => !belongs(row))];
}

function valueOf(row: Row, column: Column): unknown {
  return (JSON.parse(row.text) as Readonly<Record<string, unknown>>)[column.name];
}

/** Rejects each row, the first ones with ClickHouse's own message. */
async function explainEach(query: RowsQuery, rows: readonly Row[]): Promise<RejectedLine[]> {
  const rejected: RejectedLine[] = [];
  for (const [index, row] of rows.entries()) {
    const message = index < MAX_SINGLE_QUERIES ? await errorOf(query, row) : undefined;
    const reason = message === undefined ? UNREADABLE : `${UNREADABLE}: ${message}`;
    rejected.push({ line: row.line, reason });
  }
  return rejected;
}

async function errorOf(query: RowsQuery, row: Row): Promise<string | undefined> {
  try {
    await readRow(query, row);
    return undefined;
  } catch (error) {
    if (error instanceof ClickHouseError) return printable(firstPart(error.message), 120);
    throw error;
  }
}
