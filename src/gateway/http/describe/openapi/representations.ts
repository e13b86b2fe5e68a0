import { pascalName } from '../../../../endpoint/camel-name.js';
import { rowCap, type Endpoint } from '../../../../endpoint/endpoint.js';
import type { JsonSchema } from '../../../../endpoint/json-schema.js';
import { NUMBERS_PARAMETER } from '../../../../endpoint/reserved.js';
import { NUMBERS } from '../../../../endpoint/definition.js';
import { FORMAT_NAMES, FORMATS, type FormatName } from '../../../formats/formats.js';
import { formatsFor } from '../../../formats/require-forms.js';
import { BOOLEANS } from '../../result/choose-representation.js';
import { refTo, type MediaTypeObject, type ParameterObject } from './document.js';

/** Name of the schema of an endpoint's rows. */
export const rowSchemaName = ({ name }: Endpoint): string => `${pascalName(name)}Row`;

/** The formats that can hold the rows of an endpoint. */
const formatsOf = ({ columns }: Endpoint): readonly FormatName[] =>
  formatsFor([...columns].map(([name, { type }]) => ({ name, type })));

/** The body of a response in each output format, by media type. */
export function responseContent(endpoint: Endpoint): Readonly<Record<string, MediaTypeObject>> {
  // The columns are unknown, because a caller's own SQL determines them.
  const isOpen = endpoint.settings.sandboxing === 'enabled';
  const items: JsonSchema = isOpen
    ? { type: 'object', additionalProperties: true }
    : refTo('schemas', rowSchemaName(endpoint));
  const list: JsonSchema = { type: 'array', maxItems: rowCap(endpoint), items };
  return Object.fromEntries(
    formatsOf(endpoint).map((format) => {
      const { mediaType, describeBody } = FORMATS[format];
      return [mediaType, { schema: describeBody(list) }];
    }),
  );
}

/** The schemas of the parameters below. The gateway ignores the case of their values, which an enum cannot express. */
export const REPRESENTATION_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  OutputFormat: { type: 'string', title: 'OutputFormat', enum: FORMAT_NAMES },
  Numbers: { type: 'string', title: 'Numbers', enum: NUMBERS },
  Flag: {
    type: 'string',
    title: 'Flag',
    enum: [...BOOLEANS.keys()],
    // Without these names openapi-python-client would call "1" VALUE_0, and "0" VALUE_2.
    'x-enum-varnames': ['ONE', 'TRUE', 'ZERO', 'FALSE', 'EMPTY'],
  },
};

const formatParameter = (formats: readonly FormatName[]): ParameterObject => ({
  name: 'format',
  in: 'query',
  description:
    'The output format, in any letter case; takes precedence over `Accept`. JSON where neither names one.',
  schema:
    formats.length === FORMAT_NAMES.length
      ? refTo('schemas', 'OutputFormat')
      : { type: 'string', title: 'MetricsOutputFormat', enum: formats },
});

const flag = (name: string, description: string): ParameterObject => ({
  name,
  in: 'query',
  description: `\`1\` or \`true\`, in any letter case: ${description}`,
  schema: refTo('schemas', 'Flag'),
});

/** The parameter that chooses how JSON writes wide numbers. */
const NUMBERS_OBJECT: ParameterObject = {
  name: NUMBERS_PARAMETER,
  in: 'query',
  description:
    '`text`, in any letter case: JSON formats have numbers of types that JavaScript cannot hold exactly as strings; takes precedence over `Prefer` and the schemas of this document. Such types are 64-bit integers and wider ones, intervals, and decimals with 16 digits and more.',
  schema: refTo('schemas', 'Numbers'),
};

/** The parameter that makes a call an export; only for endpoints that have exports. */
export const EXPORT_PARAMETER = flag(
  'export',
  'all rows, beyond the row cap, as they arrive. The response has no `X-Row-Count`, `Age` and `ETag`, but a trailer `X-Row-Count`; its connection closes without the last chunk where not every row was sent. The key needs `mayExport`.',
);

/** The parameter with the cursor of a page; only for endpoints that have pages. */
export const CURSOR_PARAMETER: ParameterObject = {
  name: 'cursor',
  in: 'query',
  description:
    '`X-Next-Cursor` of the page before, with the same other parameters; absent for the first page.',
  schema: { type: 'string', minLength: 1 },
};

/** The parameters of a call that choose how rows are written, and whether an incomplete result is an error. */
export const representationParameters = (endpoint: Endpoint): readonly ParameterObject[] => [
  formatParameter(formatsOf(endpoint)),
  flag('download', 'browsers save the response as a file (`Content-Disposition`).'),
  flag('csv_safe', 'cells of CSV that a spreadsheet would run as a formula are made harmless.'),
  flag(
    'complete',
    '422 `RESULT_TRUNCATED` instead of a response with `X-Truncated`, and 503 `SHARD_UNREACHABLE` instead of one with `X-Partial`.',
  ),
  ...(endpoint.parameters.has(NUMBERS_OBJECT.name) ? [] : [NUMBERS_OBJECT]),
];
