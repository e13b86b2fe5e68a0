import type { ClickHouseClient } from '@clickhouse/client';
import { Readable } from 'node:stream';
import path from 'node:path';

import { isRecord } from '../../endpoint/as-record.js';
import type { FileProblem } from '../../endpoint/file-problems.js';
import { problem } from '../../endpoint/problems.js';
import { quoteName } from '../../endpoint/quote-sql.js';
import { WrittenNumber } from '../../endpoint/yaml-text.js';
import { selectRows } from '../../gateway/clickhouse/select-rows.js';
import { loadFile } from '../loading/load-file.js';
import { formatOfName } from '../loading/source-format.js';
import { problemAt, type Row, type TestFile } from './test-file.js';

/** What the ClickHouse of the tests has. */
export interface Tables {
  /** The names of the tables into which rows can be inserted, each with the names of the columns that rows can set. */
  readonly columns: ReadonlyMap<string, readonly string[]>;
  readonly hasDictionaries: boolean;
}

/** Engines of tables that have rows of their own. */
const HAS_ROWS =
  "(engine LIKE '%MergeTree' OR engine IN ('Memory', 'Log', 'TinyLog', 'StripeLog', 'Set', 'Join'))";

/** Reads what tables there are. */
export async function readTables(client: ClickHouseClient): Promise<Tables> {
  const columns = await selectRows<{ readonly table: string; readonly columns: readonly string[] }>(
    client,
    `SELECT table, groupArray(name) AS columns FROM system.columns
     WHERE database = currentDatabase() AND default_kind NOT IN ('MATERIALIZED', 'ALIAS')
       AND table IN (
         SELECT name FROM system.tables
         WHERE database = currentDatabase() AND engine NOT LIKE '%View' AND engine != 'Dictionary')
       AND table NOT LIKE 'schema_migrations%' AND table NOT LIKE 'gateway_requests%' AND NOT startsWith(table, 'querygate_')
     GROUP BY table`,
  );
  const dictionaries = await selectRows(
    client,
    'SELECT name FROM system.dictionaries WHERE database = currentDatabase()',
  );
  return {
    columns: new Map(columns.map(({ table, columns: names }) => [table, names])),
    hasDictionaries: dictionaries.length > 0,
  };
}

/** Empties every table that has rows, those that materialized views filled too. */
export async function emptyTables(client: ClickHouseClient): Promise<void> {
  const filled = await selectRows<{ readonly name: string }>(
    client,
    `SELECT name FROM system.tables
     WHERE database = currentDatabase() AND (total_rows > 0 OR total_rows IS NULL) AND ${HAS_ROWS}
       AND name NOT LIKE 'schema_migrations%' AND name NOT LIKE 'gateway_requests%' AND NOT startsWith(name, 'querygate_')`,
  );
  for (const { name } of filled) await client.command({ query: `TRUNCATE TABLE ${quoteName(name)}` });
}

/** Rejected rows of a table that are reported. */
const MAX_REPORTED = 20;

/**
 * Inserts the rows of a test file, as `querygate load` would.
 *
 * @returns what ClickHouse cannot read, at the row that it is in.
 */
export async function insertRows(
  client: ClickHouseClient,
  { hasDictionaries }: Tables,
  test: TestFile,
): Promise<readonly FileProblem[]> {
  const problems: FileProblem[] = [];
  for (const [table, rows] of Object.entries(test.rows)) {
    const source = typeof rows === 'string' ? path.resolve(path.dirname(test.path), rows) : '-';
    await loadFile({
      ...{ client, table, source, shiftToNow: false, strict: true, now: new Date() },
      ...(typeof rows === 'string' && { format: formatOfName(rows) }),
      stdin: Readable.from(typeof rows === 'string' ? [] : rows.map(lineOf)),
      onRejected: (line, reason) => {
        if (problems.length >= MAX_REPORTED) return;
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
  if (hasDictionaries) await client.command({ query: 'SYSTEM RELOAD DICTIONARIES' });
  return problems;
}

/** The value that a reason names, else the row. */
function placeOf(
  table: string,
  line: number,
  reason: string,
  rows: readonly Row[],
): { readonly path: readonly string[] } {
  const named = Object.keys(rows[line - 1] ?? {}).find((column) => reason.startsWith(`${column} `));
  return { path: ['rows', table, String(line - 1), ...(named === undefined ? [] : [named])] };
}

/** A row as a line of NDJSON. Numbers keep their text. */
const lineOf = (row: Row): Buffer => Buffer.from(`${jsonOf(row)}\n`);

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

function jsonOf(value: unknown): string {
  // What JSON has no number for, such as 007, is a text, which ClickHouse reads as a number where it can.
  if (value instanceof WrittenNumber)
    return JSON_NUMBER.test(value.text) ? value.text : JSON.stringify(value.text);
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}:${jsonOf(field)}`);
  return `{${fields.join(',')}}`;
}
