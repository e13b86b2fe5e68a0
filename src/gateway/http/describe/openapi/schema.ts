import type { JsonSchema } from '../../../../endpoint/json-schema.js';
import type { JsonType } from '../../../../endpoint/json-type.js';
import type { Times } from '../../../formats/format.js';

/**
 * The schema of a column's values.
 *
 * @param times how the gateway writes times where the request does not say.
 * @param title for generators, where the values are those of an enum; without it, generators make no type of them.
 */
export function schemaOf(type: JsonType, times: Times, title?: string): JsonSchema {
  const schema = bareSchemaOf(type, times, title);
  return type.nullable ? orNull(schema) : schema;
}

function bareSchemaOf(type: JsonType, times: Times, title: string | undefined): JsonSchema {
  switch (type.kind) {
    case 'scalar':
      return scalarSchema(type, times, title);
    case 'array':
      return { type: 'array', items: schemaOf(type.items, times, part(title, 'Item')) };
    case 'map':
      return { type: 'object', additionalProperties: schemaOf(type.values, times, part(title, 'Value')) };
    case 'tuple':
      return {
        type: 'array',
        prefixItems: type.items.map((item, index) => schemaOf(item, times, part(title, String(index + 1)))),
        minItems: type.items.length,
        // Not `items: false`, with which some generators reject the whole document.
        maxItems: type.items.length,
      };
    case 'object':
      // Without the second word, generators make it an object that has no property.
      return { type: 'object', additionalProperties: true };
    case 'any':
      return {};
  }
}

const part = (title: string | undefined, suffix: string): string | undefined =>
  title === undefined ? undefined : title + suffix;

function scalarSchema(
  scalar: Extract<JsonType, { kind: 'scalar' }>,
  times: Times,
  title: string | undefined,
): JsonSchema {
  const { type, format, values, unsigned } = scalar;
  const schema: JsonSchema = {
    type,
    ...(format !== undefined && { format }),
    ...(values && (title === undefined ? { enum: values } : enumOf(title, values))),
    ...(unsigned && { minimum: 0 }),
  };
  const isTime = format === 'date-time' || format === 'date';
  return isTime && times === 'unix-micros' ? { type: 'integer' } : schema;
}

/** The part of a schema that lists the values of an enum, with names for those that generators would give one name. */
export function enumOf(title: string, values: readonly string[]): JsonSchema {
  const names = values.map((value) => value.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_'));
  if (new Set(names).size === names.length) return { title, enum: values };
  return { title, enum: values, 'x-enum-varnames': names.map((name, index) => `VALUE_${index + 1}_${name}`) };
}

/** The schema of a value that may also be null. */
export function orNull(schema: JsonSchema): JsonSchema {
  // Generators make one type of an enum only where null is no member of it.
  if (schema.enum || schema.$ref !== undefined) return { anyOf: [schema, { type: 'null' }] };
  const { allOf, anyOf = allOf, ...annotations } = schema;
  if (anyOf) return { anyOf: [...anyOf, { type: 'null' }], ...annotations };
  // Where any value may stand, null may too.
  if (schema.type === undefined) return schema;
  return { ...schema, type: [schema.type, 'null'].flat() };
}

/** A schema with annotations. Some generators ignore a reference that has members beside it. */
export function annotated(schema: JsonSchema, annotations: JsonSchema): JsonSchema {
  return schema.$ref === undefined ? { ...schema, ...annotations } : { allOf: [schema], ...annotations };
}

/** A reference to one of the document's components. */
export function refTo(
  kind: 'schemas' | 'headers' | 'parameters' | 'responses',
  name: string,
): { readonly $ref: string } {
  return { $ref: `#/components/${kind}/${name}` };
}
