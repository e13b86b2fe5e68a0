import type { Endpoint } from '../../endpoint/endpoint.js';
import { MAX_VALUE_BYTES, type Parameter } from '../../endpoint/parameters.js';
import type { ParameterObject } from './document.js';
import type { Schema } from './schema.js';

const SIZE_NOTE = `At most ${MAX_VALUE_BYTES.toLocaleString('en-US')} bytes of UTF-8; may be given once.`;

/** The query-string parameters that an endpoint declares, and `sql` where it takes a caller's own. */
export function endpointParameters(
  endpoint: Endpoint,
  fixed: ReadonlySet<string>,
): readonly ParameterObject[] {
  const declared = [...endpoint.parameters].map(([name, parameter]) =>
    parameterObject(name, parameter, { example: endpoint.example[name], isPinned: fixed.has(name) }),
  );
  return endpoint.settings.sandboxing === 'enabled' ? [...declared, SQL] : declared;
}

const SQL: ParameterObject = {
  name: 'sql',
  in: 'query',
  description:
    'One SELECT of the caller’s own over the endpoint’s rows, which it reads as `result`; it decides the columns of the answer.',
  schema: { type: 'string', maxLength: MAX_VALUE_BYTES, examples: ['SELECT count() AS rows FROM result'] },
};

interface Particulars {
  readonly example: string | undefined;
  readonly isPinned: boolean;
}

function parameterObject(
  name: string,
  parameter: Parameter,
  { example, isPinned }: Particulars,
): ParameterObject {
  const isList = parameter.format === 'comma-separated';
  const notes = [
    parameter.description,
    ...(isPinned ? ['Your key supplies it: leave it out.'] : []),
    ...(parameter.format === 're2' ? ['Syntax: https://github.com/google/re2/wiki/Syntax.'] : []),
    ...(parameter.choices ? [] : [SIZE_NOTE]),
  ];
  return {
    name,
    in: 'query',
    ...(parameter.required && !isPinned && { required: true }),
    description: notes.join(' '),
    ...(isList && { style: 'form', explode: false }),
    schema: isList ? { type: 'array', items: { type: 'string' } } : valueSchema(parameter),
    ...(example !== undefined && !isPinned && { example: isList ? example.split(',') : example }),
  };
}

function valueSchema({ choices, suggestions, format }: Parameter): Schema {
  if (choices) return { type: 'string', enum: choices };
  return {
    type: 'string',
    maxLength: MAX_VALUE_BYTES,
    ...(format === 'date-time' && {
      format,
      examples: ['2026-05-17T10:05:03.123456Z', '2026-05-17T12:05:03+02:00'],
    }),
    ...(suggestions && { examples: suggestions }),
  };
}
