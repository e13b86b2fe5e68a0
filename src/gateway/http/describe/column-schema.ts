import type { Column, Numbers } from '../../../endpoint/definition.js';
import type { Endpoint } from '../../../endpoint/endpoint.js';
import type { JsonSchema } from '../../../endpoint/json-schema.js';
import { unquote } from '../../../endpoint/quote-sql.js';
import { parseTypeName, tupleField } from '../../../endpoint/type-name.js';
import type { Times } from '../../formats/format.js';
import { isWideNumber } from '../../formats/quoting.js';

/** What a reader of a column's values gets by default. */
export interface Reading {
  /** How the gateway writes times where the request does not choose. */
  readonly times: Times;
  /** How the endpoint writes numbers where the request does not choose; absent: as numbers. */
  readonly numbers?: Numbers | undefined;
  /** Whether numbers that JSON programs would round are written as strings. */
  readonly isLossless?: boolean;
  /** Title of an enum, for generators of code: without it they make no type of the enum. */
  readonly title?: string;
}

/** The JSON schema of a column's values, for OpenAPI and MCP. */
export function columnSchema({ type, holdsJson }: Column, reading: Reading): JsonSchema {
  return holdsJson ? orNull(OBJECT) : schemaOfType(type, reading);
}

/** The schema of any object. Without `additionalProperties`, generators would make a type without properties. */
const OBJECT: JsonSchema = { type: 'object', additionalProperties: true };

const text = (format: string): JsonSchema => ({ type: 'string', format });

/** Types whose schema does not depend on their arguments, because of the settings that the gateway sends. */
const SCALARS: ReadonlyMap<string, JsonSchema> = new Map<string, JsonSchema>([
  ...['String', 'FixedString', 'Time', 'Time64'].map((name) => [name, { type: 'string' }] as const),
  ...['Date', 'Date32'].map((name) => [name, text('date')] as const),
  ...['DateTime', 'DateTime64'].map((name) => [name, text('date-time')] as const),
  ['UUID', text('uuid')],
  ['IPv4', text('ipv4')],
  ['IPv6', text('ipv6')],
  ['Bool', { type: 'boolean' }],
  ['JSON', OBJECT],
]);

function schemaOfType(text: string, reading: Reading): JsonSchema {
  const { name, args } = parseTypeName(text);
  const [first = '', second = ''] = args;
  switch (name) {
    case 'Nullable':
      return orNull(schemaOfType(first, reading));
    case 'LowCardinality':
      return schemaOfType(first, reading);
    case 'SimpleAggregateFunction':
      return schemaOfType(second, reading);
    case 'Array':
    case 'QBit':
      return { type: 'array', items: schemaOfType(first, partOf(reading, 'Item')) };
    case 'Map':
      return { type: 'object', additionalProperties: schemaOfType(second, partOf(reading, 'Value')) };
    case 'Tuple':
      return tupleSchema(args, reading);
    default:
      return scalarSchema(name, args, reading);
  }
}

/** The schema of a tuple. ClickHouse writes a tuple with names as an object. */
function tupleSchema(args: readonly string[], reading: Reading): JsonSchema {
  if (args.some((arg) => tupleField(arg).name !== undefined)) return OBJECT;
  return {
    type: 'array',
    prefixItems: args.map((arg, at) => schemaOfType(arg, partOf(reading, String(at + 1)))),
    minItems: args.length,
    // `items: false` would be exact, but makes some generators reject the whole document.
    maxItems: args.length,
  };
}

function scalarSchema(name: string, args: readonly string[], reading: Reading): JsonSchema {
  if (name.startsWith('Enum')) return { type: 'string', ...enumOf(reading.title, args.map(enumValue)) };
  if (name.startsWith('Date') && reading.times === 'unix-micros')
    return reading.numbers === 'text' ? text('int64') : { type: 'integer' };
  if (reading.numbers === 'text' && isWideNumber({ name, args }))
    return text(name.startsWith('Interval') ? 'int64' : name.toLowerCase());
  return SCALARS.get(name) ?? numberSchema(name, reading) ?? {};
}

const partOf = ({ title, ...reading }: Reading, part: string): Reading =>
  title === undefined ? reading : { ...reading, title: title + part };

/** The schema of a number; undefined for any other type. */
function numberSchema(name: string, { isLossless = false }: Reading): JsonSchema | undefined {
  const [, unsigned, integer, bits] = /^(U?)(Int)(\d+|erval[A-Z][a-z]+)$/.exec(name) ?? [];
  const isFloat = /^B?Float\d+$/.test(name);
  if (integer === undefined && !isFloat && name !== 'Decimal') return undefined;
  const type = integer === undefined ? 'number' : 'integer';
  // The number can have more digits than a double holds.
  const isLong = integer === undefined ? !isFloat : Number(bits) > 32;
  const schema: JsonSchema = {
    type: isLossless && isLong ? [type, 'string'] : type,
    ...(unsigned && { minimum: 0 }),
  };
  // JSON has neither NaN nor infinity: both are written as null.
  return isFloat ? orNull(schema) : schema;
}

/** The name in an enum's argument: `it's` in `'it\'s' = 3`. */
function enumValue(arg: string): string {
  const [quoted] = /^'(?:[^'\\]|\\.|'')*'/.exec(arg) ?? [];
  return quoted === undefined ? arg : unquote(quoted);
}

/** The part of a schema that lists an enum's values, and distinct names for values that generators would name alike. */
export function enumOf(title: string | undefined, values: readonly string[]): JsonSchema {
  if (title === undefined) return { enum: values };
  const names = values.map((value) => value.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_'));
  if (new Set(names).size === names.length) return { title, enum: values };
  return { title, enum: values, 'x-enum-varnames': names.map((name, index) => `VALUE_${index + 1}_${name}`) };
}

/** The schema of a value that may also be null. */
export function orNull(schema: JsonSchema): JsonSchema {
  // Generators make a single type of an enum only where null is not one of its values.
  if (schema.enum || schema.$ref !== undefined) return { anyOf: [schema, { type: 'null' }] };
  const { allOf, anyOf = allOf, ...annotations } = schema;
  if (anyOf) return { anyOf: [...anyOf, { type: 'null' }], ...annotations };
  // A schema without a type accepts null already.
  if (schema.type === undefined) return schema;
  return { ...schema, type: [...new Set([schema.type, 'null'].flat())] };
}

/** The schema of an endpoint's rows. @param readingOf returns the reading of a column */
export function rowSchema(
  { columns, optionalColumns, settings: { numbers } }: Endpoint,
  readingOf: (column: string) => Reading,
): JsonSchema & { readonly type: 'object' } {
  const properties = [...columns].map(([name, column]) => {
    const description = [column.meaning, conditionOf(optionalColumns.get(name))].join(' ').trim();
    const schema = columnSchema(column, { numbers, ...readingOf(name) });
    return [name, { ...schema, ...(description !== '' && { description }) }] as const;
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: [...columns.keys()].filter((name) => !optionalColumns.has(name)),
    additionalProperties: false,
  };
}

/** A sentence with the parameters that must have a value for a column; empty without such. */
function conditionOf(parameters: readonly string[] | undefined): string {
  return parameters ? `Only with ${parameters.map((name) => `\`${name}\``).join(' and ')}.` : '';
}
