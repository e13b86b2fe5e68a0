import { pascalName } from '../../../../endpoint/camel-name.js';
import type { Endpoint } from '../../../../endpoint/endpoint.js';
import type { JsonSchema } from '../../../../endpoint/json-schema.js';
import { ANY_TEXT, MAX_VALUE_BYTES } from '../../../../endpoint/parameters/parameter.js';
import { MAX_BODY_VALUE_BYTES } from '../../../query/raw-parameters.js';
import { MAX_PARAMETERS } from '../../call/query-string.js';
import { enumOf, orNull } from '../column-schema.js';
import {
  describeParameters,
  exampleOf,
  jsonValue,
  sqlDescription,
  type DescribedParameter,
} from '../described-parameter.js';
import { refTo, type ParameterObject, type RequestBodyObject } from './document.js';

const LIST_NOTE =
  'May be given several times; in a URL commas separate items too, so that only the body of a POST can have an item with a comma.';
const SIZE_NOTE = `At most ${MAX_VALUE_BYTES.toLocaleString('en-US')} bytes of UTF-8, none of them NUL`;

const isSandboxed = ({ settings }: Endpoint): boolean => settings.sandboxing === 'enabled';

/** The query-string parameters that an endpoint declares, and `sql` where callers may send SQL of their own. */
export function endpointParameters(
  endpoint: Endpoint,
  pinned: ReadonlySet<string>,
): readonly ParameterObject[] {
  const sql: ParameterObject = {
    name: 'sql',
    in: 'query',
    description: sqlDescription(endpoint, pinned),
    schema: { ...ANY_TEXT, examples: ['SELECT count() AS rows FROM result'] },
  };
  const declared = describeParameters(endpoint, pinned).map((each) => parameterObject(endpoint, each));
  return isSandboxed(endpoint) ? [...declared, sql] : declared;
}

function parameterObject(endpoint: Endpoint, parameter: DescribedParameter): ParameterObject {
  const { name, notes, choices, required, isList, example, deprecated, choicesFrom } = parameter;
  const ofList = `${SIZE_NOTE}, in all. ${LIST_NOTE}`;
  const ofValue = choices ? [] : [`${SIZE_NOTE}; may be given once.`];
  return {
    name,
    in: 'query',
    ...(required && { required }),
    description: [...notes, ...(isList ? [ofList] : ofValue)].join(' '),
    ...(deprecated && { deprecated }),
    ...(choicesFrom && { 'x-choices-from': choicesFrom }),
    ...(isList && { style: 'form', explode: true }),
    schema: schemaOf(endpoint, parameter),
    ...(example !== undefined && { example: isList ? example.split(',') : example }),
  };
}

/**
 * The body of a call by POST: an object of the parameters that an endpoint declares, and `sql` where callers may send it.
 *
 * @param pinned names of the parameters that the reader's key pins.
 */
export function endpointBody(endpoint: Endpoint, pinned: ReadonlySet<string>): RequestBodyObject {
  const declared = describeParameters(endpoint, pinned);
  const required = declared.filter((each) => each.required).map(({ name }) => name);
  const sql = orNull({ ...ANY_TEXT, description: sqlDescription(endpoint, pinned) });
  const schema: JsonSchema = {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: {
      ...Object.fromEntries(declared.map((each) => [each.name, propertySchema(endpoint, each)])),
      ...(isSandboxed(endpoint) && { sql }),
    },
    ...(endpoint.settings.unknownParameters === 'reject' && { additionalProperties: false }),
  };
  return {
    description: `At most 256 KiB of JSON with ${MAX_PARAMETERS} names; a value at most 64 KiB. null means an omitted parameter.`,
    required: true,
    content: { 'application/json': { schema, example: exampleOf(declared, 'body') } },
  };
}

function propertySchema(endpoint: Endpoint, parameter: DescribedParameter): JsonSchema {
  const { notes, required, deprecated } = parameter;
  const { items, ...described } = schemaOf(endpoint, parameter);
  const schema = items ? { ...described, items: inBody(items), minItems: 1 } : inBody(described);
  return annotated(required ? schema : orNull(schema), {
    description: notes.join(' '),
    ...(deprecated && { deprecated }),
  });
}

/** The schema of a value in a body: it may be longer than in a URL, and an integer beyond 2^53 is a string. */
function inBody(schema: JsonSchema): JsonSchema {
  if (schema.type === 'integer') return { ...schema, type: ['integer', 'string'] };
  return schema.maxLength === ANY_TEXT.maxLength ? { ...schema, maxLength: MAX_BODY_VALUE_BYTES } : schema;
}

/** The JSON Schema of the value of a declared parameter. A list is an array; its items have the bounds. */
function schemaOf(endpoint: Endpoint, parameter: DescribedParameter): JsonSchema {
  const { name, isList, jsonSchema, limits, secret } = parameter;
  const value = jsonSchema.enum
    ? refTo('schemas', enumName(endpoint, name))
    : orEmpty(parameter, { ...jsonSchema, ...limits, ...(parameter.isNeverEmpty && { minLength: 1 }) });
  const shown: JsonSchema = secret ? annotated(value, { format: 'password', writeOnly: true }) : value;
  const schema: JsonSchema = isList ? { type: 'array', items: shown } : shown;
  const omitted = defaultOf(parameter);
  return omitted === undefined ? schema : annotated(schema, { default: omitted });
}

/** The schema of a time that may also be the empty text, which means an omitted parameter. */
function orEmpty(
  { isList, jsonSchema: { format = '' }, empty, required }: DescribedParameter,
  schema: JsonSchema,
): JsonSchema {
  if (!format.startsWith('date') || isList || required || empty !== 'omitted') return schema;
  return { anyOf: [schema, { type: 'string', maxLength: 0, description: 'An omitted parameter.' }] };
}

/** The default in JSON; undefined for an integer beyond 2^53, because generated clients send the defaults that they read here. */
function defaultOf(parameter: DescribedParameter): unknown {
  if (parameter.default === undefined) return undefined;
  const value = jsonValue(parameter.default, parameter);
  const isRounded = [value].flat().some((each) => typeof each === 'string');
  return parameter.jsonSchema.type === 'integer' && isRounded ? undefined : value;
}

/** A schema with annotations. A reference is wrapped, because some generators ignore a reference with further members. */
function annotated(schema: JsonSchema, annotations: JsonSchema): JsonSchema {
  return schema.$ref === undefined ? { ...schema, ...annotations } : { allOf: [schema], ...annotations };
}

/** The schemas of the enums among an endpoint's parameters, by name: a generator makes one type for GET and POST. */
export function enumSchemas(endpoint: Endpoint): readonly (readonly [string, JsonSchema])[] {
  return [...endpoint.parameters].flatMap(([name, { jsonSchema }]) => {
    const title = enumName(endpoint, name);
    const values = jsonSchema.enum?.map(String);
    return values ? [[title, { ...jsonSchema, ...enumOf(title, values) }] as const] : [];
  });
}

/** Name of the schema of an enum. It is unique, because names of endpoints have no underscore. */
const enumName = (endpoint: Endpoint, parameter: string): string =>
  `${pascalName(endpoint.name)}_${parameter}`;
