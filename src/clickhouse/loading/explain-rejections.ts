import { ClickHouseError, type ClickHouseClient } from '@clickhouse/client';

import type { Row } from './inspect-line.js';
import { firstPart } from './load-error.js';
import type { RejectedLine } from './load-report.js';
import { readRow, readRows } from './read-rows.js';
import { mismatch, printable, UNREADABLE } from './rejection-reasons.js';
import { bareType, type Column, type TargetTable } from './target-table.js';

/** So many lines of a batch are asked about one by one, where no column is at fault. */
const MAX_SINGLE_QUERIES = 100;

/**
 * Finds out why ClickHouse can't read rows. It takes a question for each column that isn't a text, however many rows
 * there are: with all the others read as texts, the rows that it can't read are those whose value does not fit.
 */
export async function explainRejections(
  client: ClickHouseClient,
  table: TargetTable,
  rows: readonly Row[],
): Promise<RejectedLine[]> {
  if (rows.length === 0) return [];
  const texts = table.columns.map(asText);
  const wellFormed = await readable(client, texts, rows);
  const [malformed, others] = divide(rows, (row) => !wellFormed.has(row.line));
  const refusals = await explainEach(client, texts, malformed);
  let open = others;
  for (const column of table.columns.filter((candidate) => bareType(candidate) !== 'String')) {
    if (open.length === 0) break;
    const columns = texts.map((text) => (text.name === column.name ? { ...text, type: column.type } : text));
    const fitting = await readable(client, columns, open);
    const [misfits, rest] = divide(open, (row) => !fitting.has(row.line));
    refusals.push(
      ...misfits.map((row) => ({ line: row.line, reason: mismatch(column, valueOf(row, column)) })),
    );
    open = rest;
  }
  return [...refusals, ...(await explainEach(client, table.columns, open))];
}

function asText({ name }: Column): Column {
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

/** What ClickHouse itself says about each of the rows; of many, only about the first. */
async function explainEach(
  client: ClickHouseClient,
  columns: readonly Column[],
  rows: readonly Row[],
): Promise<RejectedLine[]> {
  const refusals: RejectedLine[] = [];
  for (const [index, row] of rows.entries()) {
    const complaint = index < MAX_SINGLE_QUERIES ? await errorOf(client, columns, row) : undefined;
    const reason = complaint === undefined ? UNREADABLE : `${UNREADABLE}: ${complaint}`;
    refusals.push({ line: row.line, reason });
  }
  return refusals;
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
