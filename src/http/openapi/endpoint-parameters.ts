import type { Endpoint } from '../../endpoint/endpoint.js';
import type { JsonSchema } from '../../endpoint/json-schema.js';
import { ANY_TEXT, MAX_VALUE_BYTES, type Parameter } from '../../endpoint/parameters/parameter.js';
import type { ParameterObject } from './document.js';

/** What a parameter means that the reader's key pins. */
export const PINNED_NOTE = 'Your key supplies it: leave it out.';

const SIZE_NOTE = `At most ${MAX_VALUE_BYTES.toLocaleString('en-US')} bytes of UTF-8; may be given once.`;

/** The query-string parameters that an endpoint declares, and `sql` where callers may send SQL of their own. */
export function endpointParameters(
  endpoint: Endpoint,
  pinned: ReadonlySet<string>,
): readonly ParameterObject[] {
  const declared = [...endpoint.parameters].map(([name, parameter]) =>
    parameterObject(name, parameter, { example: endpoint.example[name], isPinned: pinned.has(name) }),
  );
  return endpoint.settings.sandboxing === 'enabled' ? [...declared, SQL] : declared;
}

/** What `sql` is, where callers may send it. */
export const SQL_DESCRIPTION =
  'One SELECT of the caller’s own over the rows of the endpoint, which it reads as `result`; it decides the columns of the response.';

const SQL: ParameterObject = {
  name: 'sql',
  in: 'query',
  description: SQL_DESCRIPTION,
  schema: { ...ANY_TEXT, examples: ['SELECT count() AS rows FROM result'] },
};

interface CallerFacts {
  readonly example: string | undefined;
  readonly isPinned: boolean;
}

function parameterObject(
  name: string,
  parameter: Parameter,
  { example, isPinned }: CallerFacts,
): ParameterObject {
  const { description, syntax, choices, required, isList, secret } = parameter;
  const notes = [
    description,
    ...(isPinned ? [PINNED_NOTE] : []),
    ...(syntax === undefined ? [] : [syntax]),
    ...(choices ? [] : [SIZE_NOTE]),
  ];
  return {
    name,
    in: 'query',
    ...(required && !isPinned && { required: true }),
    description: notes.join(' '),
    ...declaredFacts(parameter),
    schema: schemaOfParameter(parameter),
    ...(example !== undefined && !isPinned && !secret && { example: isList ? example.split(',') : example }),
  };
}

function declaredFacts({ deprecated, choicesFrom, isList }: Parameter): Partial<ParameterObject> {
  return {
    ...(deprecated && { deprecated }),
    ...(choicesFrom && { 'x-choices-from': choicesFrom }),
    ...(isList && { style: 'form', explode: false }),
  };
}

/** The JSON Schema of a parameter's value. A list is an array; its items have the bounds. */
export function schemaOfParameter({ isList, jsonSchema, secret, default: fallback }: Parameter): JsonSchema {
  const shown: JsonSchema = secret ? { ...jsonSchema, format: 'password', writeOnly: true } : jsonSchema;
  const schema: JsonSchema = isList ? { type: 'array', items: shown } : shown;
  return fallback === undefined ? schema : { ...schema, default: defaultOf(fallback, schema) };
}

/** The default as JSON has it. An integer beyond 2^53 stays a text, because JSON programs round it. */
function defaultOf(fallback: string, { type, items }: JsonSchema): unknown {
  if (items) return fallback.split(',').map((item) => defaultOf(item, items));
  if (type === 'boolean') return fallback === 'true' || fallback === '1';
  const number = Number(fallback);
  const isExact = type === 'integer' ? Number.isSafeInteger(number) : type === 'number';
  return isExact ? number : fallback;
}
