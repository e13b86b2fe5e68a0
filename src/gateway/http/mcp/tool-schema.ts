import { rowCap, type Endpoint } from '../../../endpoint/endpoint.js';
import type { JsonSchema } from '../../../endpoint/json-schema.js';
import type { Times } from '../../formats/format.js';
import { rowSchema } from '../describe/column-schema.js';
import {
  describeParameters,
  sqlDescription,
  type DescribedParameter,
} from '../describe/described-parameter.js';
import { CURSOR } from '../call/page-cursor.js';
import { DEFAULT_ROWS, limitsRows, MAX_ROWS, NEXT_CURSOR } from './row-limit.js';

/** The schema of an object, which MCP requires for the input and output of a tool. */
export type ObjectSchema = JsonSchema & { readonly type: 'object' };

/**
 * The input schema of a tool: the parameters that the caller's key does not pin. It omits bounds that every value has, because a
 * model reads every word of it to choose a tool.
 */
export function inputSchemaOf(endpoint: Endpoint, pinned: ReadonlySet<string>): ObjectSchema {
  const free = describeParameters(endpoint, pinned).filter(({ isPinned }) => !isPinned);
  const required = free.filter((parameter) => parameter.required).map(({ name }) => name);
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(free.map((parameter) => [parameter.name, parameterSchema(parameter)])),
      ...(endpoint.settings.sandboxing === 'enabled' && {
        sql: { type: 'string', description: sqlDescription(endpoint, pinned) },
      }),
      ...(limitsRows(endpoint) && { [MAX_ROWS]: maxRowsSchema(endpoint) }),
      ...(endpoint.pages && {
        [CURSOR]: { type: 'string', description: `${NEXT_CURSOR} of the page before: the rows after it.` },
      }),
    },
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function maxRowsSchema(endpoint: Endpoint): JsonSchema {
  const maximum = rowCap(endpoint);
  return {
    type: 'integer',
    minimum: 1,
    maximum,
    default: Math.min(DEFAULT_ROWS, maximum),
    description: 'Rows to return at most.',
  };
}

function parameterSchema(parameter: DescribedParameter): JsonSchema {
  const { isList, deprecated, example, suggestions = [], default: fallback } = parameter;
  const value = valueSchema(parameter);
  const notes = [
    ...parameter.notes,
    // The description may say that commas separate items, which is true for URLs only.
    ...(isList ? ['Here an array, with each item by itself.'] : []),
    ...(suggestions.length > 0 ? [`Values with a meaning of their own: ${suggestions.join(', ')}.`] : []),
    ...(fallback === undefined ? [] : [`Default: ${fallback}.`]),
  ];
  return {
    ...(isList ? { type: 'array', items: value, minItems: 1 } : value),
    description: notes.join(' '),
    ...(deprecated && { deprecated }),
    ...(example !== undefined && { examples: [isList ? example.split(',') : example] }),
  };
}

/** Pattern of an integer in a string. */
const INTEGER = '^[+-]?[0-9]+$';

/** The schema of a value. It omits formats of times: the gateway accepts more than RFC 3339, such as a date only or `now-7d`. */
function valueSchema({ jsonSchema, bounds, isNeverEmpty }: DescribedParameter): JsonSchema {
  const { type = 'string', format, enum: values } = jsonSchema;
  return {
    // An integer beyond 2^53 is sent as a string, because JSON programs round it.
    ...(type === 'integer' ? { type: ['integer', 'string'], pattern: INTEGER } : { type }),
    ...(format === 'decimal' && { type: ['string', 'number'] }),
    ...(format === 'uuid' && { format }),
    ...(isNeverEmpty && { minLength: 1 }),
    ...(values && { enum: values }),
    ...bounds,
  };
}

/** The schema of a tool's structured content. @param times how the gateway writes times */
export function outputSchemaOf(endpoint: Endpoint, times: Times): ObjectSchema {
  const isOpen = endpoint.settings.sandboxing === 'enabled';
  return {
    type: 'object',
    properties: {
      ...FACTS,
      rows: {
        type: 'array',
        items: isOpen ? { type: 'object' } : rowSchema(endpoint, () => ({ times, isLossless: true })),
      },
    },
    required: [...Object.keys(FACTS).filter((name) => name !== 'cost' && name !== NEXT_CURSOR), 'rows'],
    additionalProperties: false,
  };
}

const count: JsonSchema = { type: 'integer', minimum: 0 };

const FACTS: Readonly<Record<string, JsonSchema>> = {
  rowsReturned: { ...count, description: 'Rows in `rows`.' },
  rowsFound: { ...count, description: 'Rows of the result, of which `rows` has the first.' },
  truncated: { type: 'boolean', description: 'Whether the query has more rows than rowsFound.' },
  notes: {
    type: 'array',
    items: { type: 'string' },
    description: 'Why rows are missing or old, and how to get them.',
  },
  createdAt: { type: 'string', format: 'date-time', description: 'When the query began.' },
  ageSeconds: { ...count, description: 'Seconds since then.' },
  [NEXT_CURSOR]: {
    type: 'string',
    description: 'Present where more rows follow: send it as cursor, with the same other arguments.',
  },
  freshSeconds: {
    ...count,
    description:
      'Remaining lifetime of the result in the cache, in seconds. Until then the same call returns these rows, or those of a refresh.',
  },
  cost: {
    type: 'object',
    description:
      'What the query read in ClickHouse; absent for keys with pinned parameters, and for SQL of the caller’s own.',
    properties: { rowsRead: count, bytesRead: count, clickhouseMs: { type: 'number', minimum: 0 } },
    required: ['rowsRead', 'bytesRead', 'clickhouseMs'],
    additionalProperties: false,
  },
};
