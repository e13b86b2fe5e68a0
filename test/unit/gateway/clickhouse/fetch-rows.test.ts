import {
  fetchRows,
  type ClickHouseResponse,
  type SendQuery,
} from '../../../../src/gateway/clickhouse/fetch-rows.js';
import { haveTypes } from '../../../../src/endpoint/declared-types.js';
import { EVERY_ROW_READER, Figures, OPERATORS, OWN_ROWS_READER } from '../../../../src/endpoint/figures.js';
import type { QueryCost } from '../../../../src/endpoint/limit-rules.js';
import type { FormatName } from '../../../../src/gateway/formats/formats.js';
import { writtenColumns } from '../../../../src/gateway/formats/written-columns.js';
import { representationOf } from '../../../../src/gateway/formats/representation.js';
import type { QueryRequest, QueryResult } from '../../../../src/gateway/query/ports.js';
import { costOf } from '../../../support/fake-run-query.js';
import { queryRequest } from '../../../support/query-requests.js';

const PARQUET = 'PAR1…PAR1';
const MAX_BYTES = 100;
const COLUMNS = new Map([['n', { type: 'UInt64', meaning: '' }]]);
/** The query of a request in a file: of its declared columns, if they have their types. */
const OF_COLUMNS = `SELECT   \`n\` FROM ( SELECT 1 AS n ) AS result_rows WHERE ${haveTypes(COLUMNS, 'result_rows')} Parquet 3`;
const response = (body: string, resultRows: number): ClickHouseResponse => ({
  body: Buffer.from(body),
  queryId: 'id',
  resultRows,
  cost: costOf({ rowsRead: 5 }),
});

/** The result of fetchRows for these responses of ClickHouse, and the queries that it sent. */
async function written(
  format: FormatName,
  responses: readonly ClickHouseResponse[],
  more: Partial<QueryRequest> = {},
): Promise<{ readonly result: QueryResult; readonly sent: readonly string[] }> {
  const columns = writtenColumns(COLUMNS, representationOf(format));
  const sent: string[] = [];
  const left = [...responses];
  const request = queryRequest('SELECT 1 AS n', {
    rowCap: 3,
    parameters: { row_limit: 4 },
    ...more,
  });
  const send: SendQuery = ({ text, parameters }, { name }) => {
    sent.push(`${text.replaceAll('\n', ' ')} ${name} ${String(parameters['row_limit'])}`);
    const response = left.shift();
    return response ? Promise.resolve(response) : Promise.reject(new Error('nobody was to be sent again'));
  };
  return { result: await fetchRows(request, columns, send, MAX_BYTES), sent };
}

describe('fetchRows, for a format whose bytes cannot be cut', () => {
  it('sends one query with the row cap where there are fewer rows', async () => {
    const { result, sent } = await written('parquet', [response(PARQUET, 2)]);
    expect(sent).toEqual([OF_COLUMNS]);
    expect(result).toEqual({
      body: Buffer.from(PARQUET),
      rowCount: 2,
      truncated: false,
      cost: expect.any(Figures) as Figures<QueryCost>,
      queryId: 'id',
    });
    expect(result.cost.readBy(OPERATORS)).toEqual({ rowsRead: 5, bytesRead: 100, clickhouseMs: 1.5 });
  });

  it.each([
    ['3\n', false],
    ['4\n', true],
    // Rows were removed between the two queries.
    ['2\n', false],
  ])('sends a second query where there are as many rows, which counts %j', async (count, truncated) => {
    const { result, sent } = await written('parquet', [response(PARQUET, 3), response(count, 1)]);
    expect(sent).toEqual([OF_COLUMNS, 'SELECT count() FROM ( SELECT 1 AS n ) TabSeparated 4']);
    expect(result).toMatchObject({ rowCount: 3, truncated });
    expect(result.cost.readBy(OPERATORS)).toEqual({ rowsRead: 10, bytesRead: 200, clickhouseMs: 3 });
  });

  it.each<[string, FormatName, readonly ClickHouseResponse[]]>([
    ['nothing', 'parquet', [response('', 0)]],
    ['a cut file', 'parquet', [response('PAR1…', 2)]],
    ['one magic number instead of two', 'parquet', [response('PAR1', 2)]],
    ['an HTML page', 'parquet', [response('<html></html>', 2)]],
    ['an HTML page', 'arrow', [response('<html></html>', 2)]],
    ['more rows than the cap', 'parquet', [response(PARQUET, 4)]],
    ['an empty count', 'parquet', [response(PARQUET, 3), response('', 1)]],
    ['a count that is not a number', 'parquet', [response(PARQUET, 3), response('many', 1)]],
  ])('rejects %s for %s', async (_what, format, responses) => {
    await expect(written(format, responses)).rejects.toMatchObject({ code: 'CLICKHOUSE_ANSWER_BROKEN' });
  });
});

describe('fetchRows, for a text format', () => {
  it.each<[FormatName, string]>([
    ['json', '{"result":[{"n":1}]}'],
    ['json-table', '{"result":[{"n":1}]}'],
    ['ndjson', '{"result":[{"n":1}]}'],
    ['csv', '"n"\r\n1\r\n'],
    ['tsv', 'n\n1\n'],
  ])('rejects %s with another number of rows than ClickHouse reports', async (format, body) => {
    await expect(written(format, [response(body, 2)])).rejects.toMatchObject({
      code: 'CLICKHOUSE_ANSWER_BROKEN',
    });
    expect((await written(format, [response(body, 1)])).result.rowCount).toBe(1);
  });

  it('writes columns, rows and cost in json-table', async () => {
    const rows = [1, 2, 3, 4].map((n) => `{"n":${n}}`).join(',\n');
    const { result } = await written('json-table', [response(`{"result":[${rows}]}`, 4)], {
      reader: EVERY_ROW_READER,
    });
    expect(result.body.toString()).toBe(
      '{"meta":[{"name":"n","type":"UInt64"}],"data":[{"n":1},\n{"n":2},\n{"n":3}],"rows":3,"truncated":true,' +
        '"statistics":{"elapsed":0.0015,"rows_read":5,"bytes_read":100}}',
    );
  });

  it('writes no statistics in json-table for a caller who does not see every row', async () => {
    const { result } = await written('json-table', [response('{"result":[]}', 0)], {
      reader: OWN_ROWS_READER,
    });
    expect(result.body.toString()).toBe(
      '{"meta":[{"name":"n","type":"UInt64"}],"data":[],"rows":0,"truncated":false}',
    );
  });
});

describe('fetchRows, for JSON', () => {
  const body = (text: string): string => `{"result":[{"n":"${text}"}]}`;

  it('escapes the characters that end a line', async () => {
    const { result } = await written('json', [response(body('\u0085'), 1)]);
    expect(result.body.toString()).toBe(body(String.raw`\u0085`));
  });

  it('is RESULT_TOO_LARGE where the escapes make the body larger than it may be', async () => {
    const bytes = (MAX_BYTES - body('').length) / 2;
    await expect(written('json', [response(body('\u0085'.repeat(bytes)), 1)])).rejects.toMatchObject({
      code: 'RESULT_TOO_LARGE',
    });
  });
});
