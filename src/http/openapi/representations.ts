import type { Endpoint } from '../../endpoint/endpoint.js';
import type { MediaTypeObject, ParameterObject } from './document.js';
import { refTo, type Schema } from './schema.js';

/** One way in which rows can be had. */
export interface RepresentationFacts {
  /** As `?format=` names it. */
  readonly name: string;
  readonly mediaType: string;
}

/** What every gateway has. */
export const JSON_ALONE: readonly RepresentationFacts[] = [{ name: 'json', mediaType: 'application/json' }];

/** The names of the schemas of an endpoint's rows. */
export interface RowSchemas {
  readonly row: string;
  readonly maxRows: number;
  /** Whether a caller's own SQL can decide the columns. */
  readonly isOpen: boolean;
}

/** The bodies of an answer, by media type. */
export function responseContent(
  representations: readonly RepresentationFacts[],
  rows: RowSchemas,
): Readonly<Record<string, MediaTypeObject>> {
  return Object.fromEntries(
    representations.map(({ name, mediaType }) => [mediaType, { schema: bodySchema(name, rows) }]),
  );
}

function bodySchema(format: string, rows: RowSchemas): Schema {
  const items: Schema = rows.isOpen
    ? { type: 'object', additionalProperties: true }
    : refTo('schemas', rows.row);
  const list: Schema = { type: 'array', maxItems: rows.maxRows, items };
  switch (format) {
    case 'json':
      return {
        type: 'object',
        required: ['result'],
        properties: { result: list },
        additionalProperties: false,
      };
    case 'json-table':
      return tableSchema(list, rows.isOpen ? 'optional' : 'required');
    case 'ndjson':
      return { type: 'string', description: 'A row a line, each a JSON object.' };
    case 'csv':
      return { type: 'string', description: 'RFC 4180, with a header row.' };
    case 'tsv':
      return { type: 'string', description: 'Fields between tabs, with a header row.' };
    default:
      return { description: 'Bytes.' };
  }
}

/** ClickHouse's own JSON format, as Tinybird's users know it. */
function tableSchema(data: Schema, statistics: 'required' | 'optional'): Schema {
  return {
    type: 'object',
    required: ['meta', 'data', 'rows', 'truncated', ...(statistics === 'required' ? ['statistics'] : [])],
    properties: {
      meta: {
        type: 'array',
        description: 'The columns and their ClickHouse types.',
        items: {
          type: 'object',
          required: ['name', 'type'],
          properties: { name: { type: 'string' }, type: { type: 'string' } },
        },
      },
      data,
      rows: { type: 'integer', minimum: 0 },
      truncated: { type: 'boolean' },
      statistics: STATISTICS,
    },
    additionalProperties: false,
  };
}

const STATISTICS: Schema = {
  type: 'object',
  description: 'What the query of this response cost.',
  required: ['elapsed', 'rows_read', 'bytes_read'],
  properties: {
    elapsed: { type: 'number', minimum: 0, description: 'Seconds.' },
    rows_read: { type: 'integer', minimum: 0 },
    bytes_read: { type: 'integer', minimum: 0 },
  },
  additionalProperties: false,
};

/** The parameters that choose a representation; none where there is nothing to choose, or the endpoint has its own. */
export function representationParameters(
  representations: readonly RepresentationFacts[],
  { parameters }: Endpoint,
): readonly ParameterObject[] {
  if (representations.length < 2) return [];
  const csvSafe = representations.some(({ name }) => name === 'csv') ? [CSV_SAFE] : [];
  return [formatParameter(representations), DOWNLOAD, ...csvSafe].filter(({ name }) => !parameters.has(name));
}

function formatParameter(representations: readonly RepresentationFacts[]): ParameterObject {
  return {
    name: 'format',
    in: 'query',
    description: 'How the rows are written; comes before `Accept`. JSON where neither says.',
    schema: { type: 'string', enum: representations.map(({ name }) => name) },
  };
}

const DOWNLOAD: ParameterObject = {
  name: 'download',
  in: 'query',
  description: '`1`: the answer is to be saved, under a useful file name (`Content-Disposition`).',
  schema: { type: 'string', enum: ['0', '1'] },
};

const CSV_SAFE: ParameterObject = {
  name: 'csv_safe',
  in: 'query',
  description: '`1`: cells of CSV that a spreadsheet would run as a formula are made harmless.',
  schema: { type: 'string', enum: ['0', '1'] },
};
