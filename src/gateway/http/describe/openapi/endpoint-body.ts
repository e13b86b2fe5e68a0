import type { Endpoint } from '../../../../endpoint/endpoint.js';
import type { JsonSchema } from '../../../../endpoint/json-schema.js';
import { ANY_TEXT, type Parameter } from '../../../../endpoint/parameters/parameter.js';
import { MAX_BODY_VALUE_BYTES } from '../../call/json-parameters.js';
import { MAX_PARAMETERS } from '../../call/query-string.js';
import type { RequestBodyObject } from './document.js';
import { PINNED_NOTE, schemaOfParameter, sqlDescription } from './endpoint-parameters.js';
import { annotated, orNull } from './schema.js';

/**
 * The body of a call by POST: an object of the parameters that an endpoint declares, and `sql` where callers may send it.
 *
 * @param pinned names of the parameters that the reader's key pins.
 */
export function endpointBody(endpoint: Endpoint, pinned: ReadonlySet<string>): RequestBodyObject {
  const declared = [...endpoint.parameters];
  const required = declared
    .filter(([name, each]) => each.required && !pinned.has(name))
    .map(([name]) => name);
  const properties = declared.map(
    ([name]) => [name, propertySchema(endpoint, name, pinned.has(name))] as const,
  );
  const sql: JsonSchema = { ...ANY_TEXT, description: sqlDescription(endpoint, pinned) };
  const isSandboxed = endpoint.settings.sandboxing === 'enabled';
  return {
    description: `At most 256 KiB of JSON with ${MAX_PARAMETERS} names; a value at most 64 KiB. null means an omitted parameter.`,
    required: true,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          ...(required.length > 0 && { required }),
          properties: Object.fromEntries([
            ...properties,
            ...(isSandboxed ? [['sql', orNull(sql)] as const] : []),
          ]),
          ...(endpoint.settings.unknownParameters === 'reject' && { additionalProperties: false }),
        },
        example: exampleOf(endpoint, pinned),
      },
    },
  };
}

function propertySchema(endpoint: Endpoint, name: string, isPinned: boolean): JsonSchema {
  const { description = '', syntax, required, deprecated } = endpoint.parameters.get(name) ?? {};
  const described = schemaOfParameter(endpoint, name);
  const schema = described.items
    ? { ...described, items: inBody(described.items), minItems: 1 }
    : inBody(described);
  const notes = [description, ...(isPinned ? [PINNED_NOTE] : []), ...(syntax === undefined ? [] : [syntax])];
  return annotated(required && !isPinned ? schema : orNull(schema), {
    description: notes.join(' '),
    ...(deprecated && { deprecated }),
  });
}

/** Values may be longer than in a URL, and an integer beyond 2^53 is a string. */
function inBody(schema: JsonSchema): JsonSchema {
  if (schema.type === 'integer') return { ...schema, type: ['integer', 'string'] };
  return schema.maxLength === ANY_TEXT.maxLength ? { ...schema, maxLength: MAX_BODY_VALUE_BYTES } : schema;
}

/** The endpoint's example, with the values as their parameters have them in JSON. */
function exampleOf(
  { example, parameters }: Endpoint,
  pinned: ReadonlySet<string>,
): Readonly<Record<string, unknown>> {
  const isShown = (name: string): boolean => !pinned.has(name) && !parameters.get(name)?.secret;
  const sent = Object.entries(example).filter(([name]) => isShown(name));
  return Object.fromEntries(sent.map(([name, text]) => [name, jsonValue(text, parameters.get(name))]));
}

function jsonValue(text: string, parameter: Parameter | undefined): unknown {
  if (parameter?.isList) return text.split(',').map((item) => scalar(item, parameter));
  return scalar(text, parameter);
}

function scalar(text: string, parameter: Parameter | undefined): unknown {
  const type = parameter?.jsonSchema.type;
  if (type === 'boolean') return text === 'true' || text === '1';
  const number = Number(text);
  const isNumber = type === 'number' || (type === 'integer' && Number.isSafeInteger(number));
  return isNumber ? number : text;
}
