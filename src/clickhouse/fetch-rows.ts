import { isUtf8 } from 'node:buffer';

import type { BoundQuery } from '../endpoint/bind.js';
import { ROW_LIMIT } from '../endpoint/reserved.js';
import { brokenResponse } from '../formats/broken-response.js';
import { cutLines, disarmFormulas } from '../formats/cut-lines.js';
import { cutResult, cutRows, type CutResult } from '../formats/cut-result.js';
import { projectColumns, typeShown, type ResultColumn } from '../formats/project-columns.js';
import { JSON_REPRESENTATION, type Format, type Representation } from '../formats/representation.js';
import {
  LINE_SEPARATOR,
  OWN_FORMATS,
  resultFormatOf,
  resultFormatSettings,
  ROW_SEPARATOR,
  UNKNOWN_TYPES,
  type OwnFormat,
} from '../formats/template-format.js';
import type { QueryRequest, QueryResult } from '../query/ports.js';

/** The whole of what ClickHouse sent for one query, and what it told of it. */
export interface ClickHouseResponse extends Omit<QueryResult, 'rowCount' | 'truncated' | 'queryId'> {
  readonly queryId: string;
  readonly resultRows: number;
}

/** Asks ClickHouse for the rows of a query in a format. @throws Failure or the client's error */
export type SendQuery = (query: BoundQuery, format: OwnFormat) => Promise<ClickHouseResponse>;

/** Runs the query of a request, and gives its rows in the representation that the request is for. */
export async function fetchRows(
  request: QueryRequest,
  columns: readonly ResultColumn[],
  sendQuery: SendQuery,
): Promise<QueryResult> {
  const { representation = JSON_REPRESENTATION } = request;
  const { format } = representation;
  if (format === 'parquet' || format === 'arrow') {
    return writeWhole({ ...request, representation }, columns, sendQuery);
  }
  const query = projectColumns(request.query, columns, representation);
  const response = await sendQuery(query, textFormat(request, columns, format));
  const text = asUtf8(response.body);
  const cut = cutText(text, { ...request, representation }, columns, response);
  if (cut.rowsReceived !== response.resultRows) {
    throw brokenResponse(`ClickHouse sent ${cut.rowsReceived} rows, its summary says ${response.resultRows}`);
  }
  return resultOf(response, cut);
}

type Written = QueryRequest & { readonly representation: Representation };
type TextFormat = Exclude<Format, 'parquet' | 'arrow'>;

function textFormat(
  { columns: declared }: QueryRequest,
  columns: readonly ResultColumn[],
  format: TextFormat,
): OwnFormat {
  if (format === 'csv' || format === 'tsv') return ownFormat(declared, format);
  const separator = format === 'ndjson' ? LINE_SEPARATOR : ROW_SEPARATOR;
  const settings =
    declared === 'unknown'
      ? resultFormatOf(
          columns.map(({ name }) => name),
          separator,
        )
      : resultFormatSettings(declared, separator);
  return { name: 'Template', settings };
}

function ownFormat(declared: QueryRequest['columns'], format: keyof typeof OWN_FORMATS): OwnFormat {
  const { name, settings } = OWN_FORMATS[format];
  return { name, settings: declared === 'unknown' ? { ...settings, ...UNKNOWN_TYPES } : settings };
}

function cutText(
  text: Buffer,
  { rowCap, representation, columns: declared }: Written,
  columns: readonly ResultColumn[],
  response: ClickHouseResponse,
): CutResult {
  switch (representation.format) {
    case 'json-table': {
      const cut = cutRows(text, rowCap);
      // What a caller's own SQL read counts rows of others too, which stand in the same granules.
      const cost = declared === 'unknown' ? undefined : response;
      return { ...cut, body: tableOf(cut, columns, representation, cost) };
    }
    case 'ndjson': {
      const cut = cutRows(text, rowCap, LINE_SEPARATOR);
      const end = Buffer.from(cut.rowCount > 0 ? LINE_SEPARATOR : '');
      return { ...cut, body: Buffer.concat([cut.body, end]) };
    }
    case 'csv': {
      const cut = cutLines(text, rowCap, true);
      return representation.formulaSafe ? { ...cut, body: disarmFormulas(cut.body) } : cut;
    }
    case 'tsv':
      return cutLines(text, rowCap, false);
    case 'json':
    case 'parquet':
    case 'arrow':
      return cutResult(text, rowCap);
  }
}

/** The rows between what ClickHouse's own JSON format has around them; without `statistics` where no cost is given. */
function tableOf(
  { body, rowCount, truncated }: CutResult,
  columns: readonly ResultColumn[],
  representation: Representation,
  cost: ClickHouseResponse | undefined,
): Buffer {
  const meta = columns.map(({ name, type }) => ({ name, type: typeShown(type, representation) }));
  const statistics = cost && {
    elapsed: cost.clickhouseMs / 1000,
    rows_read: cost.rowsRead,
    bytes_read: cost.bytesRead,
  };
  const end = JSON.stringify({ rows: rowCount, truncated, statistics });
  return Buffer.concat([
    Buffer.from(`{"meta":${JSON.stringify(meta)},"data":[`),
    body,
    Buffer.from(`],${end.slice(1)}`),
  ]);
}

/**
 * Formats whose bytes can't be cut: ClickHouse is asked for as many rows as the cap, and where it has that many, whether
 * there is one more. Both queries have the same values bound, the time among them.
 */
async function writeWhole(
  { query, columns: declared, rowCap, representation }: Written,
  columns: readonly ResultColumn[],
  sendQuery: SendQuery,
): Promise<QueryResult> {
  const format = representation.format === 'arrow' ? 'arrow' : 'parquet';
  const capped = { ...query, parameters: { ...query.parameters, [ROW_LIMIT]: rowCap } };
  const response = await sendQuery(
    projectColumns(capped, columns, representation),
    ownFormat(declared, format),
  );
  const { body, resultRows } = response;
  if (!isWhole(body, format) || resultRows > rowCap) {
    throw brokenResponse(
      `${body.length} bytes and ${resultRows} rows that are no ${format} of ${rowCap} at most`,
    );
  }
  const cut = { body, rowCount: resultRows, rowsReceived: resultRows };
  if (resultRows < rowCap) return resultOf(response, { ...cut, truncated: false });
  const counted = await sendQuery(countOf(query), { name: 'TabSeparated', settings: {} });
  const count = Number(counted.body.toString());
  if (counted.body.length === 0 || !Number.isSafeInteger(count)) {
    throw brokenResponse('a count of rows that is none');
  }
  return resultOf(sumOfCosts(response, counted), { ...cut, truncated: count > rowCap });
}

function countOf({ text, parameters }: BoundQuery): BoundQuery {
  return { text: `SELECT count() FROM (\n${text}\n)`, parameters };
}

function sumOfCosts(a: ClickHouseResponse, b: ClickHouseResponse): ClickHouseResponse {
  return {
    ...a,
    rowsRead: a.rowsRead + b.rowsRead,
    bytesRead: a.bytesRead + b.bytesRead,
    clickhouseMs: a.clickhouseMs + b.clickhouseMs,
  };
}

const PARQUET_MARK = Buffer.from('PAR1');
/** A continuation without a message. */
const ARROW_END = Buffer.from('ffffffff00000000', 'hex');

function isWhole(body: Buffer, format: 'parquet' | 'arrow'): boolean {
  if (format === 'arrow') return body.subarray(-ARROW_END.length).equals(ARROW_END);
  const length = PARQUET_MARK.length;
  return (
    body.length > 2 * length &&
    body.subarray(0, length).equals(PARQUET_MARK) &&
    body.subarray(-length).equals(PARQUET_MARK)
  );
}

/** Logs hold what was sent to them, and text formats pass it on; an answer is UTF-8 all the same. */
function asUtf8(bytes: Buffer): Buffer {
  return isUtf8(bytes) ? bytes : Buffer.from(bytes.toString('utf8'));
}

function resultOf(
  { queryId, rowsRead, bytesRead, clickhouseMs }: ClickHouseResponse,
  { body, rowCount, truncated }: CutResult,
): QueryResult {
  return { body, rowCount, truncated, rowsRead, bytesRead, clickhouseMs, queryId };
}
