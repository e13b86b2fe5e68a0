import type { JsonSchema } from '../../../../endpoint/json-schema.js';

const text: JsonSchema = { type: 'string' };
const seconds: JsonSchema = { type: 'integer', minimum: 0, description: 'Seconds.' };

/** An endpoint as `GET /api/endpoints` shows it. */
export const ENDPOINT_SCHEMA: JsonSchema = {
  type: 'object',
  required: [
    ...['id', 'name', 'description', 'tags', 'query', 'maxRows', 'caching', 'warming', 'sandboxing'],
    ...['parameters', 'columns', 'example'],
  ],
  properties: {
    id: { type: 'string', format: 'uuid' },
    name: text,
    description: text,
    tags: { type: 'array', items: text, description: 'Lower-case words, to find the endpoint by.' },
    query: { type: 'string', description: 'The saved query, with `@name` for each parameter.' },
    maxRows: {
      type: 'integer',
      minimum: 1,
      description: 'The row cap. A result has no more rows than this, nor than `limit`.',
    },
    limit: {
      type: 'integer',
      minimum: 1,
      description:
        'The LIMIT at the end of the saved query; absent where it has none. It cuts results by design, unless `maxRows` is ' +
        'lower and cuts them first.',
    },
    caching: {
      description: 'Seconds for which a result is cached.',
      anyOf: [seconds, { type: 'string', title: 'NoCaching', enum: ['disabled'] }],
    },
    warming: { ...seconds, description: 'Seconds between refreshes of a result in use; 0: never.' },
    sandboxing: { type: 'string', title: 'Sandboxing', enum: ['enabled', 'disabled'] },
    unknownParameters: {
      type: 'string',
      title: 'UnknownParameters',
      enum: ['reject', 'ignore'],
      description:
        'What a call with undeclared parameters gets: 400, or, where absent too, a response that names them.',
    },
    parameters: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'kind', 'required', 'empty', 'type', 'description'],
        properties: {
          name: text,
          required: { type: 'boolean' },
          type: { type: 'string', description: 'The ClickHouse type that it is bound as.' },
          description: text,
          kind: {
            type: 'string',
            description:
              'string, integer, number, boolean, date, timestamp, uuid, decimal, enum, timezone or regular-expression; with ' +
              '-list for a list.',
          },
          empty: {
            type: 'string',
            title: 'EmptyText',
            enum: ['value', 'omitted', 'problem'],
            description: 'What an empty text means: a value, an omitted parameter, or an invalid one.',
          },
          format: text,
          choices: { type: 'array', items: text, description: 'Every valid value.' },
          suggestions: { type: 'array', items: text, description: 'Values with a meaning of their own.' },
          default: {
            type: 'string',
            description: 'The value of an omitted parameter, as a caller would send it.',
          },
          minimum: { type: 'number' },
          maximum: { type: 'number' },
          maxLength: {
            type: 'integer',
            description: 'Characters, where there is a bound below that of every value.',
          },
          pattern: { type: 'string', description: 'A regular expression that a value must match.' },
          relativeStep: {
            type: 'integer',
            description:
              'Relative times such as now-7d are accepted; their now is rounded down to these seconds.',
          },
          deprecated: { type: 'boolean' },
          secret: { type: 'boolean', description: 'Send it in the body of a POST; links cannot carry it.' },
          choicesFrom: {
            type: 'object',
            description: 'An endpoint, one column of which lists values.',
            required: ['endpoint', 'column'],
            properties: { endpoint: text, column: text },
          },
        },
      },
    },
    columns: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'type', 'description'],
        properties: {
          name: text,
          type: { type: 'string', description: 'A ClickHouse type.' },
          description: text,
          onlyWith: {
            type: 'array',
            items: text,
            description: 'Parameters that must have a value for a result to have this column.',
          },
        },
      },
    },
    example: {
      type: 'object',
      description: 'Parameters of a call that works on the demonstration data.',
      additionalProperties: text,
    },
  },
};
