import type { JsonType } from '../../endpoint/json-type.js';

/** A JSON Schema (draft 2020-12), as far as this document uses it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly (string | null)[];
  readonly const?: unknown;
  readonly examples?: readonly unknown[];
  readonly items?: Schema | false;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

/** How times are written in JSON: ISO 8601, or whole microseconds since 1970. */
export type Times = 'iso' | 'unix-micros';

/** Times inside another value are ISO 8601 always. */
const NESTED: Times = 'iso';

/**
 * The schema of a column's values.
 *
 * @param times how the gateway writes times where the request does not say.
 */
export function schemaOf(type: JsonType, times: Times): Schema {
  const schema = bareSchemaOf(type, times);
  return type.nullable ? orNull(schema) : schema;
}

function bareSchemaOf(type: JsonType, times: Times): Schema {
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

function scalarSchema(scalar: Extract<JsonType, { kind: 'scalar' }>, times: Times): Schema {
  const { type, format, values, unsigned } = scalar;
  const schema: Schema = {
    type,
    ...(format !== undefined && { format }),
    ...(values && { enum: values }),
    ...(unsigned && { minimum: 0 }),
  };
  const isTime = format === 'date-time' || format === 'date';
  return isTime && times === 'unix-micros' ? { type: 'integer' } : schema;
}

function orNull(schema: Schema): Schema {
  // Where any value may stand, null may too.
  if (typeof schema.type !== 'string') return schema;
  return {
    ...schema,
    type: [schema.type, 'null'],
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
