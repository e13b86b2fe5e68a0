import { ClickHouseError, type ClickHouseClient, type ClickHouseSettings } from '@clickhouse/client';

import { nameBeside, quoteName, quoteText, type NamedColumn } from '../../endpoint/quote-sql.js';
import { shifted, type Column, type RowShape } from './columns.js';
import { jsonLines, readSettings } from './json-table.js';
import type { Line } from './line-splitter.js';

/** Expressions to evaluate for each line: SQL over the columns, the computed ones too. */
export interface RowsQuery {
  readonly client: ClickHouseClient;
  readonly shape: RowShape;
  readonly expressions: readonly string[];
  /** Shifts each time before the expressions, in microseconds. */
  readonly shift?: bigint;
}

/** The values of the expressions by row: several rows can begin in one line. */
export type ValuesByRow = ReadonlyMap<Line, readonly unknown[]>;

const allColumns = ({ columns, computed }: RowShape): readonly NamedColumn[] => [...columns, ...computed];

/** The field that identifies a row in the result, by its place among the rows. */
const lineIn = (shape: RowShape): Column => ({
  name: nameBeside(allColumns(shape), '__querygate_line'),
  type: 'UInt64',
  defaultExpression: '',
});

/** SQL of a column before a shift. */
export const readColumn = (shape: RowShape, name: string): string =>
  `${nameBeside(allColumns(shape), '__querygate_lines')}.${quoteName(name)}`;

const SETTINGS: ClickHouseSettings = {
  input_format_allow_errors_ratio: 0,
  output_format_json_quote_64bit_integers: 1,
  output_format_json_quote_decimals: 1,
  output_format_json_quote_denormals: 1,
  date_time_output_format: 'iso',
  wait_end_of_query: 1,
};

/**
 * Lets ClickHouse read rows into columns, without storing them.
 *
 * @returns the expressions' values, for the rows that ClickHouse can read.
 * @throws the client's error when the cause is not a row.
 */
export async function readRows(query: RowsQuery, rows: readonly Line[]): Promise<ValuesByRow> {
  try {
    const read = await readAllowing(rows.length, query, rows);
    if (read.size === rows.length) return read;
    // ClickHouse can leave a skipped row's value in a column, before those of the next rows. So the others are read again alone.
    const readable = rows.filter((row) => read.has(row));
    return await readAllowing(0, query, readable);
  } catch (error) {
    // ClickHouse skips most rows that it cannot read, but fails on some, such as those nested too deeply.
    if (!(error instanceof ClickHouseError) || rows.length === 0) throw error;
    // A single row is the cause, unless a query without rows fails too.
    if (rows.length === 1) return readAllowing(0, query, []);
    const middle = Math.ceil(rows.length / 2);
    const first = await readRows(query, rows.slice(0, middle));
    const second = await readRows(query, rows.slice(middle));
    return new Map([...first, ...second]);
  }
}

/** Reads rows, of which ClickHouse may skip a number of invalid ones. @throws ClickHouseError where more are invalid */
export async function readAllowing(
  errors: number,
  { client, shape, expressions, shift = 0n }: RowsQuery,
  rows: readonly Line[],
): Promise<ValuesByRow> {
  const { columns, computed, time } = shape;
  const line = lineIn(shape);
  const table = jsonLines(
    { columns: [line, ...columns], computed },
    rows.map(({ text }, index) => numbered(text, line.name, index)),
  );
  const names = computed.map(
    ({ name, type, expression }) => `CAST(${expression}, ${quoteText(type)}) AS ${quoteName(name)}`,
  );
  // Replaces the column in every expression but its own.
  if (time && shift !== 0n) names.push(`${shifted(time, shift)} AS ${time.name}`);
  try {
    const result = await client.query({
      query: `${names.length > 0 ? 'WITH ' : ''}${names.join(', ')} SELECT ${[line.name, ...expressions].join(', ')} FROM ${table} AS ${nameBeside(allColumns(shape), '__querygate_lines')}`,
      format: 'JSONCompact',
      clickhouse_settings: {
        ...(await readSettings(client)),
        ...SETTINGS,
        input_format_allow_errors_num: String(errors),
      },
    });
    const { data } = await result.json<[string, ...unknown[]]>();
    return new Map(
      data.flatMap(([index, ...values]): [Line, unknown[]][] => {
        const row = rows[Number(index)];
        return row ? [[row, values]] : [];
      }),
    );
  } catch (error) {
    // If ClickHouse skips every row, it misses the columns.
    if (error instanceof ClickHouseError && error.type === 'NOT_FOUND_COLUMN_IN_BLOCK') return new Map();
    throw error;
  }
}

/** Pads the line, because ClickHouse reads 36 characters of a malformed UUID at once, possibly into the next line. */
function numbered(text: string, name: string, index: number): string {
  const fields = text.trim().slice(1);
  return `{"${name}":${index}${/^\s*\}/.test(fields) ? '' : ','}${fields}${' '.repeat(36)}`;
}
