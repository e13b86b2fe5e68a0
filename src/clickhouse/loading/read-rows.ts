import { ClickHouseError, type ClickHouseClient } from '@clickhouse/client';

import type { Row } from './inspect-line.js';
import { jsonTable, READ_SETTINGS } from './json-table.js';
import type { Column } from './target-table.js';

/** What to ask of the lines: an Int64 in SQL over the columns. */
export interface RowsQuery {
  readonly client: ClickHouseClient;
  readonly columns: readonly Column[];
  readonly expression: string;
}

/** The field by which a row is known again; no table has a column of that name. */
const LINE: Column = { name: '__querygate_line', type: 'UInt64', defaultExpression: '' };

/** Added to every question, since ClickHouse fails where no row can be read; its answer shows that all were. */
const END = 0;

/**
 * Has ClickHouse read rows into columns, without storing them.
 *
 * @returns the expression's value by line, for the rows that ClickHouse can read.
 * @throws the client's error where it isn't the rows that are at fault.
 */
export async function readRows(question: RowsQuery, rows: readonly Row[]): Promise<Map<number, bigint>> {
  try {
    return await queryRows(question, rows);
  } catch (error) {
    // ClickHouse passes over rows that it can't read, except some, such as those nested too deeply.
    if (!(error instanceof ClickHouseError) || rows.length === 0) throw error;
    // Of a single row it is the fault, unless no row at all can be asked about.
    if (rows.length === 1) return queryRows(question, []);
    const middle = Math.ceil(rows.length / 2);
    const first = await readRows(question, rows.slice(0, middle));
    const second = await readRows(question, rows.slice(middle));
    return new Map([...first, ...second]);
  }
}

/**
 * Has ClickHouse read one row, and complain where it can't.
 *
 * @throws ClickHouseError about the row.
 */
export async function readRow(question: RowsQuery, row: Row): Promise<void> {
  await queryRows(question, [row], 0);
}

async function queryRows(
  { client, columns, expression }: RowsQuery,
  rows: readonly Row[],
  allowedErrors = rows.length,
): Promise<Map<number, bigint>> {
  const lines = [...rows.map(numbered), `{"${LINE.name}":${END}}`];
  const answer = await client.query({
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
  return valueByLine((await answer.json<[string, string]>()).data);
}

/**
 * The spaces are for ClickHouse's way with a wrong UUID: it reads 36 characters at once, finds itself in the next line
 * where the row ends before that, and passes over that one too.
 */
function numbered({ line, text }: Row): string {
  return `{"${LINE.name}":${line},${text.slice(1)}${' '.repeat(36)}`;
}

function valueByLine(pairs: readonly [string, string][]): Map<number, bigint> {
  const values = new Map(pairs.map(([line, value]) => [Number(line), BigInt(value)]));
  if (!values.delete(END)) throw new Error('its answer is not complete');
  return values;
}
