import { pascalName } from '../../../../endpoint/camel-name.js';
import type { Endpoint } from '../../../../endpoint/endpoint.js';
import type { JsonSchema } from '../../../../endpoint/json-schema.js';
import { ANY_TEXT, MAX_VALUE_BYTES, type Parameter } from '../../../../endpoint/parameters/parameter.js';
import { readableParts, RESULT } from '../../../../endpoint/readable-parts.js';
import type { ParameterObject } from './document.js';
import { annotated, enumOf, refTo } from './schema.js';

/** What a parameter means that the reader's key pins. */
export const PINNED_NOTE = 'Your key supplies it: leave it out.';

const LIST_NOTE =
  'May be given several times; in a URL commas separate items too, so that only the body of a POST can have an item with a comma.';
const SIZE_NOTE = `At most ${MAX_VALUE_BYTES.toLocaleString('en-US')} bytes of UTF-8, none of them NUL`;

/** The query-string parameters that an endpoint declares, and `sql` where callers may send SQL of their own. */
export function endpointParameters(
  endpoint: Endpoint,
  pinned: ReadonlySet<string>,
): readonly ParameterObject[] {
  const declared = [...endpoint.parameters].map(([name, parameter]) =>
    parameterObject(endpoint, name, { parameter, isPinned: pinned.has(name) }),
  );
  return endpoint.settings.sandboxing === 'enabled'
    ? [...declared, sqlParameter(endpoint, pinned)]
    : declared;
}

/** What `sql` is, where callers may send it: with the names that a caller with these pins may read. */
export function sqlDescription(endpoint: Endpoint, pinned: ReadonlySet<string>): string {
  const parts = readableParts(endpoint, pinned).names.filter((name) => name !== RESULT);
  const others =
    parts.length === 0 ? '' : ` It can also read ${parts.map((name) => `\`${name}\``).join(', ')}.`;
  return (
    `One SELECT of the caller’s own over the rows of the endpoint, which it reads as \`${RESULT}\`; it decides the columns ` +
    `of the response.${others}`
  );
}

const sqlParameter = (endpoint: Endpoint, pinned: ReadonlySet<string>): ParameterObject => ({
  name: 'sql',
  in: 'query',
  description: sqlDescription(endpoint, pinned),
  schema: { ...ANY_TEXT, examples: ['SELECT count() AS rows FROM result'] },
});

/** A parameter, and whether the reader's key pins it. */
interface Declared {
  readonly parameter: Parameter;
  readonly isPinned: boolean;
}

function parameterObject(
  endpoint: Endpoint,
  name: string,
  { parameter, isPinned }: Declared,
): ParameterObject {
  const { description, syntax, choices, required, isList, secret } = parameter;
  const example = endpoint.example[name];
  const notes = [
    description,
    ...(isPinned ? [PINNED_NOTE] : []),
    ...(syntax === undefined ? [] : [syntax]),
    ...(isList
      ? [`${SIZE_NOTE}, in all. ${LIST_NOTE}`]
      : choices
        ? []
        : [`${SIZE_NOTE}; may be given once.`]),
  ];
  return {
    name,
    in: 'query',
    ...(required && !isPinned && { required: true }),
    description: notes.join(' '),
    ...declaredFacts(parameter),
    schema: schemaOfParameter(endpoint, name),
    ...(example !== undefined && !isPinned && !secret && { example: isList ? example.split(',') : example }),
  };
}

function declaredFacts({ deprecated, choicesFrom, isList }: Parameter): Partial<ParameterObject> {
  return {
    ...(deprecated && { deprecated }),
    ...(choicesFrom && { 'x-choices-from': choicesFrom }),
    ...(isList && { style: 'form', explode: true }),
  };
}

/** The JSON Schema of the value of a declared parameter. A list is an array; its items have the bounds. */
export function schemaOfParameter(endpoint: Endpoint, name: string): JsonSchema {
  const parameter = endpoint.parameters.get(name);
  if (!parameter) return {};
  const { isList, jsonSchema, limits, secret, default: fallback } = parameter;
  const value: JsonSchema = jsonSchema.enum
    ? refTo('schemas', enumName(endpoint, name))
    : orEmpty(parameter, {
        ...jsonSchema,
        ...limits,
        ...(isNeverEmpty(parameter) && { minLength: 1 }),
      });
  const shown: JsonSchema = secret ? annotated(value, { format: 'password', writeOnly: true }) : value;
  const schema: JsonSchema = isList ? { type: 'array', items: shown } : shown;
  const omitted = fallback === undefined ? undefined : defaultOf(fallback, schema);
  return omitted === undefined ? schema : annotated(schema, { default: omitted });
}

/** The schema of a time that may also be the empty text, which means an omitted parameter. */
function orEmpty({ isList, jsonSchema, empty, required }: Parameter, schema: JsonSchema): JsonSchema {
  const isTime = jsonSchema.format === 'date-time' || jsonSchema.format === 'date';
  if (!isTime || isList || required || empty !== 'omitted') return schema;
  return { anyOf: [schema, { type: 'string', maxLength: 0, description: 'An omitted parameter.' }] };
}

/** Whether the empty text is invalid, and no format says so. */
export function isNeverEmpty({ isList, jsonSchema, empty, required }: Parameter): boolean {
  const isText = jsonSchema.type === 'string' && jsonSchema.format === undefined && !isList;
  return isText && (empty === 'problem' || (empty === 'omitted' && required));
}

/** The schemas of the enums among an endpoint's parameters, by name: a generator makes one type for GET and POST. */
export function enumSchemas(endpoint: Endpoint): readonly (readonly [string, JsonSchema])[] {
  return [...endpoint.parameters].flatMap(([name, { jsonSchema }]) => {
    const title = enumName(endpoint, name);
    const values = jsonSchema.enum?.map(String);
    return values ? [[title, { ...jsonSchema, ...enumOf(title, values) }] as const] : [];
  });
}

/** Names of endpoints have no underscore, so that the name is unique. */
const enumName = (endpoint: Endpoint, parameter: string): string =>
  `${pascalName(endpoint.name)}_${parameter}`;

/**
 * The default as JSON has it; undefined for an integer beyond 2^53, which JSON programs round: generated clients send the
 * defaults that they read here.
 */
function defaultOf(fallback: string, { type, items }: JsonSchema): unknown {
  if (items) {
    const values = fallback.split(',').map((item) => defaultOf(item, items));
    return values.includes(undefined) ? undefined : values;
  }
  if (type === 'boolean') return fallback === 'true' || fallback === '1';
  if (type === 'number') return Number(fallback);
  if (type !== 'integer') return fallback;
  const whole = Number(fallback);
  return Number.isSafeInteger(whole) ? whole : undefined;
}
