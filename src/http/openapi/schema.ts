import type { JsonSchema } from '../../endpoint/json-schema.js';
import type { JsonType } from '../../endpoint/json-type.js';
import type { Times } from '../../formats/format.js';

/** Times inside another value are always ISO 8601. */
const NESTED: Times = 'iso';

/**
 * The schema of a column's values.
 *
 * @param times how the gateway writes times where the request does not say.
 */
export function schemaOf(type: JsonType, times: Times): JsonSchema {
  const schema = bareSchemaOf(type, times);
  return type.nullable ? orNull(schema) : schema;
}

function bareSchemaOf(type: JsonType, times: Times): JsonSchema {
  switch (type.kind) {
    case 'scalar':
      return scalarSchema(type, times);
    case 'array':
      return { type: 'array', items: schemaOf(type.items, NESTED) };
    case 'map':
      return { type: 'object', additionalProperties: schemaOf(type.values, NESTED) };
    case 'tuple':
      return {
        type: 'array',
        prefixItems: type.items.map((item) => schemaOf(item, NESTED)),
        items: false,
        minItems: type.items.length,
      };
    case 'object':
      // Without the second word, generators make it an object that has no property.
      return { type: 'object', additionalProperties: true };
    case 'any':
      return {};
  }
}

function scalarSchema(scalar: Extract<JsonType, { kind: 'scalar' }>, times: Times): JsonSchema {
  const { type, format, values, unsigned } = scalar;
  const schema: JsonSchema = {
    type,
    ...(format !== undefined && { format }),
    ...(values && { enum: values }),
    ...(unsigned && { minimum: 0 }),
  };
  const isTime = format === 'date-time' || format === 'date';
  return isTime && times === 'unix-micros' ? { type: 'integer' } : schema;
}

/** The schema of a value that may also be null. */
export function orNull(schema: JsonSchema): JsonSchema {
  // Where any value may stand, null may too.
  if (schema.type === undefined) return schema;
  return {
    ...schema,
    type: [schema.type, 'null'].flat(),
    ...(schema.enum && { enum: [...schema.enum, null] }),
  };
}

/** A reference to one of the document's components. */
export function refTo(
  kind: 'schemas' | 'headers' | 'parameters' | 'responses',
  name: string,
): { readonly $ref: string } {
  return { $ref: `#/components/${kind}/${name}` };
}
