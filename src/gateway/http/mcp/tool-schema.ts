import { rowCap, type Endpoint } from '../../../endpoint/endpoint.js';
import type { JsonSchema } from '../../../endpoint/json-schema.js';
import { jsonTypeOf } from '../../../endpoint/json-type.js';
import { MAX_VALUE_BYTES, type Parameter } from '../../../endpoint/parameters/parameter.js';
import type { Times } from '../../formats/format.js';
import { isNeverEmpty, sqlDescription } from '../describe/openapi/endpoint-parameters.js';
import { meaningOf } from '../describe/openapi/operations.js';
import { schemaOf } from '../describe/openapi/schema.js';
import { DEFAULT_ROWS, limitsRows, MAX_ROWS } from './row-limit.js';

/** The schema of an object, as MCP demands of what a tool takes and returns. */
export type ObjectSchema = JsonSchema & { readonly type: 'object' };

/**
 * What a tool takes: the parameters that the caller's key does not pin. Bounds that every value has are left out, because each
 * model that chooses a tool reads every word here.
 */
export function inputSchemaOf(endpoint: Endpoint, pinned: ReadonlySet<string>): ObjectSchema {
  const free = [...endpoint.parameters].filter(([name]) => !pinned.has(name));
  const required = free.filter(([, parameter]) => parameter.required).map(([name]) => name);
  const own: Readonly<Record<string, JsonSchema>> = {
    ...(endpoint.settings.sandboxing === 'enabled' && {
      sql: { type: 'string', description: sqlDescription(endpoint, pinned) },
    }),
    ...(limitsRows(endpoint) && { [MAX_ROWS]: maxRowsSchema(endpoint) }),
  };
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(
        free.map(([name, parameter]) => [name, parameterSchema(endpoint, name, parameter)]),
      ),
      ...own,
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

function parameterSchema(endpoint: Endpoint, name: string, parameter: Parameter): JsonSchema {
  const { description, syntax, isList, deprecated, secret, suggestions = [], default: fallback } = parameter;
  const example = secret ? undefined : endpoint.example[name];
  const value = valueSchema(parameter);
  const notes = [description, ...(syntax === undefined ? [] : [syntax])];
  // The description can say that commas separate items, as they do in a URL.
  if (isList) notes.push('Here an array, with each item by itself.');
  if (suggestions.length > 0) notes.push(`Values with a meaning of their own: ${suggestions.join(', ')}.`);
  if (fallback !== undefined) notes.push(`Default: ${fallback}.`);
  return {
    ...(isList ? { type: 'array', items: value, minItems: 1 } : value),
    description: notes.join(' '),
    ...(deprecated && { deprecated }),
    ...(example !== undefined && { examples: [isList ? example.split(',') : example] }),
  };
}

/** Of an integer as a text. */
const INTEGER = '^[+-]?[0-9]+$';

/** Formats of times are left out: the gateway accepts more than RFC 3339, such as a date alone or `now-7d`. */
function valueSchema(parameter: Parameter): JsonSchema {
  const { type = 'string', format, minimum, maximum, maxLength = Infinity, pattern } = parameter.jsonSchema;
  const values = parameter.jsonSchema.enum;
  return {
    // An integer beyond 2^53 is a string, because JSON programs round it.
    ...(type === 'integer' ? { type: ['integer', 'string'], pattern: INTEGER } : { type }),
    ...(format === 'decimal' && { type: ['string', 'number'] }),
    ...(format === 'uuid' && { format }),
    ...(isNeverEmpty(parameter) && { minLength: 1 }),
    ...(values && { enum: values }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(maxLength < MAX_VALUE_BYTES && { maxLength }),
    ...(pattern !== undefined && { pattern }),
  };
}

/** What a tool returns as structured content. @param times how the gateway writes times. */
export function outputSchemaOf(endpoint: Endpoint, times: Times): ObjectSchema {
  const isOpen = endpoint.settings.sandboxing === 'enabled';
  return {
    type: 'object',
    properties: {
      ...FACTS,
      rows: { type: 'array', items: isOpen ? { type: 'object' } : rowOf(endpoint, times) },
    },
    required: [
      'rowsReturned',
      'rowsFound',
      'truncated',
      'notes',
      'createdAt',
      'ageSeconds',
      'freshSeconds',
      'rows',
    ],
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

function rowOf(endpoint: Endpoint, times: Times): JsonSchema {
  const columns = [...endpoint.columns].map(([name, column]) => {
    const description = meaningOf(endpoint, name, column);
    const schema = orText(schemaOf(jsonTypeOf(column), times), column.type);
    return [name, { ...schema, ...(description !== '' && { description }) }] as const;
  });
  return {
    type: 'object',
    properties: Object.fromEntries(columns),
    required: [...endpoint.columns.keys()].filter((name) => !endpoint.optionalColumns.has(name)),
    additionalProperties: false,
  };
}

/** Types whose values can have more digits than a double has. */
const EXACT = /(?:Int(?:64|128|256)|Decimal)/;

/** A number that JSON programs would round is a string in the structured content. */
function orText(schema: JsonSchema, type: string): JsonSchema {
  if (!EXACT.test(type)) return schema;
  const { items, additionalProperties, prefixItems } = schema;
  const types = [schema.type ?? []].flat();
  const isNumber = types.includes('integer') || types.includes('number');
  return {
    ...schema,
    ...(isNumber && { type: [...types, 'string'] }),
    ...(items && { items: orText(items, type) }),
    ...(prefixItems && { prefixItems: prefixItems.map((item) => orText(item, type)) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: orText(additionalProperties, type),
    }),
  };
}
