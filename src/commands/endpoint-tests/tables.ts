import type { ClickHouseClient } from '@clickhouse/client';
import { Readable } from 'node:stream';
import path from 'node:path';

import type { FileProblem } from '../../endpoint/file-problems.js';
import { problem } from '../../endpoint/problems.js';
import { quoteName } from '../../endpoint/quote-sql.js';
import { loadFile } from '../loading/load-file.js';
import { formatOfName } from '../loading/source-format.js';
import { problemAt, type Row, type TestFile } from './test-file.js';

/** Names of the tables of a database, each with the names of the columns that rows can set. */
export type Tables = ReadonlyMap<string, readonly string[]>;

/** Reads the tables into which rows can be inserted. */
export async function readTables(client: ClickHouseClient): Promise<Tables> {
  const found = await client.query({
    query: `
      SELECT table, groupArray(name) AS columns FROM system.columns
      WHERE database = currentDatabase() AND default_kind NOT IN ('MATERIALIZED', 'ALIAS')
        AND table IN (
          SELECT name FROM system.tables
          WHERE database = currentDatabase() AND engine NOT LIKE '%View' AND engine != 'Dictionary')
        AND table NOT LIKE 'schema_migrations%' AND table NOT LIKE 'gateway_requests%'
      GROUP BY table`,
    format: 'JSONEachRow',
  });
  const rows = await found.json<{ readonly table: string; readonly columns: readonly string[] }>();
  return new Map(rows.map(({ table, columns }) => [table, columns]));
}

/** Empties every table that has rows, those that materialized views filled too. */
export async function emptyTables(client: ClickHouseClient, tables: Tables): Promise<void> {
  const found = await client.query({
    query: 'SELECT name FROM system.tables WHERE database = currentDatabase() AND total_rows > 0',
    format: 'JSONEachRow',
  });
  const filled = await found.json<{ readonly name: string }>();
  for (const { name } of filled) {
    if (tables.has(name)) await client.command({ query: `TRUNCATE TABLE ${quoteName(name)}` });
  }
}

/**
 * Inserts the rows of a test file, as `querygate load` would.
 *
 * @returns what ClickHouse cannot read, at the row that it is in.
 */
export async function insertRows(client: ClickHouseClient, test: TestFile): Promise<readonly FileProblem[]> {
  const problems: FileProblem[] = [];
  for (const [table, rows] of Object.entries(test.rows)) {
    const source = typeof rows === 'string' ? path.resolve(path.dirname(test.path), rows) : '-';
    await loadFile({
      ...{ client, table, source, shiftToNow: false, strict: true, now: new Date() },
      ...(typeof rows === 'string' && { format: formatOfName(rows) }),
      stdin: Readable.from(typeof rows === 'string' ? [] : rows.map(lineOf)),
      onRejected: (line, reason) => {
        problems.push(
          typeof rows === 'string'
            ? {
                file: path.join(path.dirname(test.file), rows),
                line,
                ...problem('ROW_REJECTED', table, reason),
              }
            : problemAt(test, placeOf(table, line, reason, rows), problem('ROW_REJECTED', table, reason)),
        );
      },
    });
  }
  return problems;
}

/** The value that a reason names, else the row. */
function placeOf(
  table: string,
  line: number,
  reason: string,
  rows: readonly Row[],
): { readonly path: readonly string[] } {
  const named = Object.keys(rows[line - 1] ?? {}).find((column) => reason.includes(column));
  return { path: ['rows', table, String(line - 1), ...(named === undefined ? [] : [named])] };
}

const lineOf = (row: Row): Buffer =>
  Buffer.from(
    `${JSON.stringify(row, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}\n`,
  );
