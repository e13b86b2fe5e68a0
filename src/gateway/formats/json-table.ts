import type { JsonSchema } from '../../endpoint/json-schema.js';
import { cutRows } from './cut-result.js';
import { escapeLineEnds } from './escape-line-ends.js';
import { TEXT, type CutContext, type CutResult, type RowFormat } from './format.js';
import { shownType } from './project-columns.js';
import { templateFormat } from './template-format.js';

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
  describeBody: ({ list }) => ({
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

/** Writes the metadata around the rows; no `statistics` where the caller may not read the cost. */
function tableOf(
  { body, rowCount, truncated }: CutResult,
  { columns, times, cost }: CutContext,
): Pick<CutResult, 'body' | 'equalBytes'> {
  const meta = columns.map(({ name, type }) => ({ name, type: shownType(type, times) }));
  const statistics = cost && {
    elapsed: cost.clickhouseMs / 1000,
    rows_read: cost.rowsRead,
    bytes_read: cost.bytesRead,
  };
  const summary = JSON.stringify({ rows: rowCount, truncated }).slice(1, -1);
  // A name in the caller's own SQL can have any character.
  const start = Buffer.from(`{"meta":${JSON.stringify(meta)},"data":[`);
  const equal = [escapeLineEnds(start) ?? start, body, Buffer.from(`],${summary}`)];
  const end = Buffer.from(cost ? `,"statistics":${JSON.stringify(statistics)}}` : '}');
  const table = Buffer.concat([...equal, end]);
  return { body: table, ...(cost && { equalBytes: table.length - end.length }) };
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
