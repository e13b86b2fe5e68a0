import type { Endpoint } from '../../endpoint/endpoint.js';
import type { JsonSchema } from '../../endpoint/json-schema.js';
import { FORMAT_NAMES, FORMATS } from '../../formats/formats.js';
import type { MediaTypeObject, ParameterObject } from './document.js';
import { refTo } from './schema.js';

/** The rows of an endpoint. */
export interface EndpointRows {
  /** Name of the schema of a row. */
  readonly row: string;
  readonly maxRows: number;
  /** Whether a caller's own SQL can decide the columns. */
  readonly isOpen: boolean;
}

/** The body of a response in every output format, by media type. */
export function responseContent({
  row,
  maxRows,
  isOpen,
}: EndpointRows): Readonly<Record<string, MediaTypeObject>> {
  const items: JsonSchema = isOpen ? { type: 'object', additionalProperties: true } : refTo('schemas', row);
  const list: JsonSchema = { type: 'array', maxItems: maxRows, items };
  return Object.fromEntries(
    Object.values(FORMATS).map(({ mediaType, describeBody }) => [
      mediaType,
      { schema: describeBody({ list, isOpen }) },
    ]),
  );
}

/** The parameters that choose a representation, without those that the endpoint declares for itself. */
export function representationParameters({ parameters }: Endpoint): readonly ParameterObject[] {
  return [FORMAT, DOWNLOAD, CSV_SAFE].filter(({ name }) => !parameters.has(name));
}

const FORMAT: ParameterObject = {
  name: 'format',
  in: 'query',
  description: 'The output format; takes precedence over `Accept`. JSON where neither names one.',
  schema: { type: 'string', enum: FORMAT_NAMES },
};

const DOWNLOAD: ParameterObject = {
  name: 'download',
  in: 'query',
  description: '`1`: browsers save the response as a file (`Content-Disposition`).',
  schema: { type: 'string', enum: ['0', '1'] },
};

const CSV_SAFE: ParameterObject = {
  name: 'csv_safe',
  in: 'query',
  description: '`1`: cells of CSV that a spreadsheet would run as a formula are made harmless.',
  schema: { type: 'string', enum: ['0', '1'] },
};
