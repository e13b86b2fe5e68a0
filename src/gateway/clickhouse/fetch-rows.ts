import { isUtf8 } from 'node:buffer';

import type { BoundQuery } from '../../endpoint/bind.js';
import { OWN_ROWS_READER, type Figures } from '../../endpoint/figures.js';
import type { QueryCost } from '../../endpoint/limit-rules.js';
import { ROW_LIMIT } from '../../endpoint/reserved.js';
import { brokenResponse } from '../formats/broken-response.js';
import { escapeLineEnds } from '../formats/escape-line-ends.js';
import {
  MARK,
  newMark,
  type ClickHouseFormat,
  type FileFormat,
  type MarkedFormat,
  type RowFormat,
} from '../formats/format.js';
import { FORMATS } from '../formats/formats.js';
import type { WrittenColumns } from '../formats/written-columns.js';
import type { QueryRequest, QueryResult } from '../query/ports.js';
import { sumOfCosts } from '../query/sum-of-costs.js';
import { keysOf } from './page-keys.js';
import { resultTooLarge } from './translate-error.js';

/** ClickHouse's complete response to one query, with the figures that it reported. */
export interface ClickHouseResponse {
  readonly cost: Figures<QueryCost>;
  readonly body: Buffer;
  readonly queryId: string;
  readonly resultRows: number;
}

/** Sends a query whose rows come in a format. @throws Failure or the client's error */
export type SendQuery = (query: BoundQuery, format: ClickHouseFormat) => Promise<ClickHouseResponse>;

/**
 * Runs the query of a request. ClickHouse writes the bytes of the response. This function proves that they are complete.
 *
 * @param maxBytes maximum size of the body, in bytes.
 * @throws Failure CLICKHOUSE_ANSWER_BROKEN where the bytes are incomplete, RESULT_TOO_LARGE, or the error of `send`.
 */
export function fetchRows(
  request: QueryRequest,
  written: WrittenColumns,
  send: SendQuery,
  maxBytes: number,
): Promise<QueryResult> {
  const format = FORMATS[written.representation.format];
  return 'cut' in format
    ? fetchAndCut(format, request, written, send, maxBytes)
    : fetchFile(format, request, written, send);
}

async function fetchAndCut(
  format: RowFormat,
  request: QueryRequest,
  written: WrittenColumns,
  send: SendQuery,
  maxBytes: number,
): Promise<QueryResult> {
  const { representation, columns, clickHouseFormat, project } = written;
  const keys = keysOf(written, format, request);
  const response = keys
    ? await send(keys.rows.query(request.query), keys.rows.clickHouseFormat)
    : await send(project(request.query), clickHouseFormat);
  const { cost, queryId, resultRows } = response;
  const { times, formulaSafe } = representation;
  const context = {
    cost: cost.readBy(request.reader ?? OWN_ROWS_READER),
    ...{ rowCap: request.rowCap, times, formulaSafe, columns: columns.described },
  };
  const { body, ...ofKeys } = keys?.read(response.body, resultRows, request.rowCap) ?? {
    body: response.body,
  };
  const text = asUtf8(body);
  const { rowsReceived, ...cut } = format.cut(
    format.values === 'json' ? escaped(text, maxBytes) : text,
    context,
  );
  if (rowsReceived !== resultRows)
    throw brokenResponse(`ClickHouse sent ${rowsReceived} rows, its summary says ${resultRows}`);
  return { cost, queryId, ...ofKeys, ...cut };
}

/**
 * Fetches a body that cannot be cut. The query has the row cap as its LIMIT. If ClickHouse returns that many rows, a second query counts
 * whether there are more. Both have the same values bound, including the time.
 */
async function fetchFile(
  format: FileFormat | MarkedFormat,
  { query, rowCap }: QueryRequest,
  written: WrittenColumns,
  send: SendQuery,
): Promise<QueryResult> {
  const mark = 'unmark' in format ? newMark('mark') : undefined;
  const own = { [ROW_LIMIT]: rowCap, ...(mark !== undefined && { [MARK]: mark }) };
  const capped = { ...query, parameters: Object.assign({}, query.parameters, own) };
  const response = await send(written.project(capped), written.clickHouseFormat);
  const { queryId, cost } = response;
  const body = completeFile(format, response.body, mark);
  const rowCount = response.resultRows - (mark === undefined ? 0 : 1);
  if (!body || rowCount > rowCap) {
    throw brokenResponse(
      `${response.body.length} bytes and ${rowCount} rows are not a complete ${written.representation.format} of at most ${rowCap} rows`,
    );
  }
  const file = { queryId, body, rowCount };
  if (rowCount < rowCap) return { cost, truncated: false, ...file };
  const counted = await send(countOf(query), { name: 'TabSeparated', settings: {} });
  const count = Number(counted.body.toString());
  if (counted.body.length === 0 || !Number.isSafeInteger(count)) {
    throw brokenResponse('the count of rows is not a number');
  }
  return { cost: sumOfCosts([cost, counted.cost]), truncated: count > rowCap, ...file };
}

function completeFile(
  format: FileFormat | MarkedFormat,
  body: Buffer,
  mark: string | undefined,
): Buffer | undefined {
  if (!('unmark' in format)) return format.isComplete(body) ? body : undefined;
  const text = format.unmark(body, mark ?? '');
  return text && asUtf8(text);
}

function countOf({ text, parameters }: BoundQuery): BoundQuery {
  return { text: `SELECT count() FROM (\n${text}\n)`, parameters };
}

/** @throws Failure RESULT_TOO_LARGE */
function escaped(json: Buffer, maxBytes: number): Buffer {
  const text = escapeLineEnds(json, maxBytes);
  if (text) return text;
  throw resultTooLarge(`a response of ${json.length} bytes, and of more than ${maxBytes} with its escapes`);
}

/** Makes text valid UTF-8. Logs can contain invalid UTF-8, which ClickHouse's text formats write unchanged. */
export function asUtf8(bytes: Buffer): Buffer {
  return isUtf8(bytes) ? bytes : Buffer.from(bytes.toString('utf8'));
}
