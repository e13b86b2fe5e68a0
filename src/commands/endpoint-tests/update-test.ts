import { writeFile } from 'node:fs/promises';

import { isRecord } from '../../endpoint/as-record.js';
import type { RanCall, RanTest } from './run-tests.js';
import type { Row, TestFile } from './test-file.js';

/**
 * Writes into a test file what came instead of what its calls expected, and, for calls that expected nothing, the rows or the code of
 * the problem. Comments and the order of keys stay.
 *
 * @returns how many calls it changed
 */
export async function updateTest({ test, calls }: RanTest): Promise<number> {
  const changed = calls.filter(({ differences }) => differences.length > 0);
  if (!test || changed.length === 0) return 0;
  const { document } = test;
  for (const ran of changed) {
    for (const [key, value] of Object.entries(whatCame(ran))) {
      const at = ['calls', ran.index, key];
      // Field by field, so that an object keeps its layout.
      if (isRecord(value) && document.hasIn(at))
        for (const [name, field] of Object.entries(value)) document.setIn([...at, name], field);
      else document.setIn(at, nodeOf(document, key, value));
    }
    const stale = ran.received.status >= 400 ? ['rows', 'columns', 'body'] : ['problem'];
    for (const key of stale) document.deleteIn(['calls', ran.index, key]);
  }
  await writeFile(test.path, document.toString(LAYOUT));
  return changed.length;
}

/** No line is folded, so that a change shows as one. */
const LAYOUT = { lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER };

/** Rows have a line each, and a list of columns one for all. */
function nodeOf(document: TestFile['document'], key: string, value: unknown): unknown {
  if (key !== 'rows') return document.createNode(value, { flow: key === 'columns' });
  return document.createNode(
    (value as readonly Row[]).map((row) => document.createNode(row, { flow: true })),
  );
}

/** The keys of a call with the values that came. */
function whatCame({ call, received }: RanCall): Readonly<Record<string, unknown>> {
  const { status, headers } = received;
  const names = Object.keys(call.headers ?? {});
  // A cut result passes only where the test says that it is.
  if (status < 400 && headers.has('x-truncated')) names.push('X-Truncated');
  const ofHeaders = names.map((name) => [name, headers.get(name)] as const);
  return {
    ...(status >= 400 ? { problem: problemThatCame(call, received.body) } : resultThatCame(call, received)),
    ...(names.length > 0 && { headers: Object.fromEntries(ofHeaders) }),
  };
}

/** The rows and columns; of a format that has none here, the body. */
function resultThatCame(call: RanCall['call'], { body, rows, columns }: RanCall['received']): object {
  if (call.body !== undefined || !rows) return { body };
  return {
    ...(call.columns && { columns }),
    ...((call.rows ?? !call.columns) && { rows: rows.map((row) => chosen(row, call)) }),
  };
}

function chosen(row: Readonly<Record<string, unknown>>, { only }: RanCall['call']): object {
  return only ? Object.fromEntries(only.map((column) => [column, row[column]])) : row;
}

/** The expected fields of the problem, as they came. */
function problemThatCame({ problem }: RanCall['call'], body: string): unknown {
  const document: unknown = JSON.parse(body);
  if (!isRecord(document)) return problem;
  if (typeof problem !== 'object') return document['code'];
  return Object.fromEntries(Object.keys(problem).map((name) => [name, document[name]]));
}
