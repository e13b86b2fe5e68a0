import type { Endpoint } from '../../endpoint/endpoint.js';
import { ANY_TEXT, MAX_VALUE_BYTES, type Parameter } from '../../endpoint/parameters/parameter.js';
import type { ParameterObject } from './document.js';

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

const SQL: ParameterObject = {
  name: 'sql',
  in: 'query',
  description:
    'One SELECT of the caller’s own over the rows of the endpoint, which it reads as `result`; it decides the columns of the response.',
  schema: { ...ANY_TEXT, examples: ['SELECT count() AS rows FROM result'] },
};

interface CallerFacts {
  readonly example: string | undefined;
  readonly isPinned: boolean;
}

function parameterObject(
  name: string,
  { description, syntax, choices, required, isList, jsonSchema }: Parameter,
  { example, isPinned }: CallerFacts,
): ParameterObject {
  const notes = [
    description,
    ...(isPinned ? ['Your key supplies it: leave it out.'] : []),
    ...(syntax === undefined ? [] : [syntax]),
    ...(choices ? [] : [SIZE_NOTE]),
  ];
  return {
    name,
    in: 'query',
    ...(required && !isPinned && { required: true }),
    description: notes.join(' '),
    ...(isList && { style: 'form', explode: false }),
    schema: isList ? { type: 'array', items: jsonSchema } : jsonSchema,
    ...(example !== undefined && !isPinned && { example: isList ? example.split(',') : example }),
  };
}
