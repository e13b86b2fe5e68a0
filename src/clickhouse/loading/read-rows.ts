import { ClickHouseError, type ClickHouseClient } from '@clickhouse/client';

import type { Row } from './inspect-line.js';
import { jsonTable, READ_SETTINGS } from './json-table.js';
import type { Column } from './target-table.js';

/** An expression to evaluate for each line: an Int64 in SQL over the columns. */
export interface RowsQuery {
  readonly client: ClickHouseClient;
  readonly columns: readonly Column[];
  readonly expression: string;
}

/** The field that identifies a row in the result; no table has a column of that name. */
const LINE: Column = { name: '__querygate_line', type: 'UInt64', defaultExpression: '' };

/** A row of every query: ClickHouse fails without a readable row, and its value proves a complete result. */
const END = 0;

/**
 * Lets ClickHouse read rows into columns, without storing them.
 *
 * @returns the expression's value by line, for the rows that ClickHouse can read.
 * @throws the client's error when the cause is not a row.
 */
export async function readRows(query: RowsQuery, rows: readonly Row[]): Promise<Map<number, bigint>> {
  try {
    return await queryRows(query, rows);
  } catch (error) {
    // ClickHouse skips most rows that it cannot read, but fails on some, such as those nested too deeply.
    if (!(error instanceof ClickHouseError) || rows.length === 0) throw error;
    // A single row is the cause, unless a query without rows fails too.
    if (rows.length === 1) return queryRows(query, []);
    const middle = Math.ceil(rows.length / 2);
    const first = await readRows(query, rows.slice(0, middle));
    const second = await readRows(query, rows.slice(middle));
    return new Map([...first, ...second]);
  }
}

/**
 * Lets ClickHouse read one row.
 *
 * @throws ClickHouseError about the row.
 */
export async function readRow(query: RowsQuery, row: Row): Promise<void> {
  await queryRows(query, [row], 0);
}

async function queryRows(
  { client, columns, expression }: RowsQuery,
  rows: readonly Row[],
  allowedErrors = rows.length,
): Promise<Map<number, bigint>> {
  const lines = [...rows.map(numbered), `{"${LINE.name}":${END}}`];
  const result = await client.query({
    query: `SELECT ${LINE.name}, toInt64(${expression}) FROM ${jsonTable([LINE, ...columns], lines)}`,
    format: 'JSONCompact',
    clickhouse_settings: {
      ...READ_SETTINGS,
      input_format_allow_errors_num: String(allowedErrors),
      input_format_allow_errors_ratio: 0,
      output_format_json_quote_64bit_integers: 1,
      wait_end_of_query: 1,
    },
  });
  return valueByLine((await result.json<[string, string]>()).data);
}

/** Pads the line, because ClickHouse reads 36 characters of a malformed UUID at once, possibly into the next line. */
function numbered({ line, text }: Row): string {
  return `{"${LINE.name}":${line},${text.slice(1)}${' '.repeat(36)}`;
}

function valueByLine(pairs: readonly [string, string][]): Map<number, bigint> {
  const values = new Map(pairs.map(([line, value]) => [Number(line), BigInt(value)]));
  if (!values.delete(END)) throw new Error('the result is incomplete');
  return values;
}
