import { ClickHouseError, type ClickHouseClient } from '@clickhouse/client';

import type { Row } from './inspect-line.js';
import { firstPart } from './load-error.js';
import type { RejectedLine } from './load-report.js';
import { readRow, readRows } from './read-rows.js';
import { mismatch, printable, UNREADABLE } from './rejection-reasons.js';
import { bareType, type Column, type TargetTable } from './target-table.js';

/** Maximum number of lines of a batch that are explained by a query each. */
const MAX_SINGLE_QUERIES = 100;

/**
 * Explains why ClickHouse cannot read rows. One query per column that is not a string finds, for any number of rows,
 * those whose value does not fit: all other columns are read as strings.
 */
export async function explainRejections(
  client: ClickHouseClient,
  table: TargetTable,
  rows: readonly Row[],
): Promise<RejectedLine[]> {
  if (rows.length === 0) return [];
  const stringColumns = table.columns.map(asString);
  const wellFormed = await readable(client, stringColumns, rows);
  const [malformed, others] = divide(rows, (row) => !wellFormed.has(row.line));
  const rejected = await explainEach(client, stringColumns, malformed);
  let unexplained = others;
  for (const column of table.columns.filter((candidate) => bareType(candidate) !== 'String')) {
    if (unexplained.length === 0) break;
    const columns = stringColumns.map((each) =>
      each.name === column.name ? { ...each, type: column.type } : each,
    );
    const fitting = await readable(client, columns, unexplained);
    const [misfits, rest] = divide(unexplained, (row) => !fitting.has(row.line));
    rejected.push(
      ...misfits.map((row) => ({ line: row.line, reason: mismatch(column, valueOf(row, column)) })),
    );
    unexplained = rest;
  }
  return [...rejected, ...(await explainEach(client, table.columns, unexplained))];
}

function asString({ name }: Column): Column {
  return { name, type: 'String', defaultExpression: '' };
}

function readable(
  client: ClickHouseClient,
  columns: readonly Column[],
  rows: readonly Row[],
): Promise<ReadonlyMap<number, bigint>> {
  return readRows({ client, columns, expression: '0' }, rows);
}

function divide(rows: readonly Row[], belongs: (row: Row) => boolean): [readonly Row[], readonly Row[]] {
  return [rows.filter(belongs), rows.filter((row) => !belongs(row))];
}

function valueOf(row: Row, column: Column): unknown {
  return (JSON.parse(row.text) as Readonly<Record<string, unknown>>)[column.name];
}

/** Rejects each row, the first ones with ClickHouse's own message. */
async function explainEach(
  client: ClickHouseClient,
  columns: readonly Column[],
  rows: readonly Row[],
): Promise<RejectedLine[]> {
  const rejected: RejectedLine[] = [];
  for (const [index, row] of rows.entries()) {
    const message = index < MAX_SINGLE_QUERIES ? await errorOf(client, columns, row) : undefined;
    const reason = message === undefined ? UNREADABLE : `${UNREADABLE}: ${message}`;
    rejected.push({ line: row.line, reason });
  }
  return rejected;
}

async function errorOf(
  client: ClickHouseClient,
  columns: readonly Column[],
  row: Row,
): Promise<string | undefined> {
  try {
    await readRow({ client, columns, expression: '0' }, row);
    return undefined;
  } catch (error) {
    if (error instanceof ClickHouseError) return printable(firstPart(error.message), 120);
    throw error;
  }
}
