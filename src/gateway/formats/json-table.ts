import type { QueryCost } from '../../endpoint/limit-rules.js';
import type { JsonSchema } from '../../endpoint/json-schema.js';
import { cutRows } from './cut-result.js';
import { escapeLineEnds } from './escape-line-ends.js';
import {
  TEXT,
  type CutContext,
  type CutResult,
  type ResultColumn,
  type RowFormat,
  type Times,
} from './format.js';
import { shownType } from './project-columns.js';
import { jsonRow, ROW_SEPARATOR, templateFormat } from './template-format.js';

/** The layout of ClickHouse's own JSON format, which Tinybird's clients read: columns, rows and cost. */
export const jsonTable: RowFormat = {
  ...TEXT,
  mediaType: 'application/vnd.querygate.table+json',
  contentType: 'application/vnd.querygate.table+json; charset=utf-8',
  extension: 'table.json',
  values: 'json',
  clickHouseFormat: templateFormat,
  cut: (body, context) => {
    const cut = cutRows(body, context.rowCap);
    return { ...cut, ...tableOf(cut, context) };
  },
  exportRows: (columns, times) => ({
    row: jsonRow(columns),
    separator: ROW_SEPARATOR,
    start: startOfTable(columns.described, times),
    end: (figures) => `${summaryOf({ ...figures, truncated: false })}${statisticsOf(figures.cost)}`,
  }),
  describeBody: (list) => ({
    type: 'object',
    required: ['meta', 'data', 'rows', 'truncated'],
    properties: {
      meta: META,
      data: list,
      rows: { type: 'integer', minimum: 0 },
      truncated: { type: 'boolean' },
      statistics: STATISTICS,
    },
    additionalProperties: false,
  }),
};

/** Writes the metadata around the rows; without `statistics` where the caller may not read the cost. */
function tableOf(
  { body, rowCount, truncated }: CutResult,
  { columns, times, cost }: CutContext,
): Pick<CutResult, 'body' | 'equalBytes'> {
  const start = Buffer.from(startOfTable(columns, times));
  const equal = [escapeLineEnds(start) ?? start, body, Buffer.from(summaryOf({ rowCount, truncated }))];
  const end = Buffer.from(statisticsOf(cost));
  const table = Buffer.concat([...equal, end]);
  return { body: table, ...(cost && { equalBytes: table.length - end.length }) };
}

/** The text before the rows. A column name, also in the caller's own SQL, can have any character. */
function startOfTable(columns: readonly ResultColumn[], times: Times): string {
  const meta = columns.map(({ name, type }) => ({ name, type: shownType(type, times) }));
  return `{"meta":${JSON.stringify(meta)},"data":[`;
}

function summaryOf({ rowCount, truncated }: Pick<CutResult, 'rowCount' | 'truncated'>): string {
  return `],${JSON.stringify({ rows: rowCount, truncated }).slice(1, -1)}`;
}

function statisticsOf(cost: QueryCost | undefined): string {
  if (!cost) return '}';
  const statistics = {
    elapsed: cost.clickhouseMs / 1000,
    rows_read: cost.rowsRead,
    bytes_read: cost.bytesRead,
  };
  return `,"statistics":${JSON.stringify(statistics)}}`;
}

const META: JsonSchema = {
  type: 'array',
  description: 'The columns and their ClickHouse types.',
  items: {
    type: 'object',
    required: ['name', 'type'],
    properties: { name: { type: 'string' }, type: { type: 'string' } },
  },
};

const STATISTICS: JsonSchema = {
  type: 'object',
  description:
    'What the query of this response cost; absent for keys with pinned parameters, and for SQL of the caller’s own.',
  required: ['elapsed', 'rows_read', 'bytes_read'],
  properties: {
    elapsed: { type: 'number', minimum: 0, description: 'Seconds.' },
    rows_read: { type: 'integer', minimum: 0 },
    bytes_read: { type: 'integer', minimum: 0 },
  },
  additionalProperties: false,
};
