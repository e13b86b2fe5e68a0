import type { Schema } from './schema.js';

const text: Schema = { type: 'string' };
const seconds: Schema = { type: 'integer', minimum: 0, description: 'Seconds.' };

/** An endpoint as `GET /api/endpoints` shows it. */
export const ENDPOINT_SCHEMA: Schema = {
  type: 'object',
  required: [
    ...['id', 'name', 'description', 'query', 'maxRows', 'caching', 'warming', 'sandboxing'],
    ...['parameters', 'columns', 'example'],
  ],
  properties: {
    id: { type: 'string', format: 'uuid' },
    name: text,
    description: text,
    query: { type: 'string', description: 'The saved query, with `@name` for each parameter.' },
    maxRows: {
      type: 'integer',
      minimum: 1,
      description: 'The row cap. A saved query that itself ends with a LIMIT gives no more than that.',
    },
    caching: { anyOf: [seconds, { const: 'disabled' }] },
    warming: { ...seconds, description: 'Seconds between refreshes of a result in use; 0: never.' },
    sandboxing: { type: 'string', enum: ['enabled', 'disabled'] },
    parameters: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'required', 'type', 'description'],
        properties: {
          name: text,
          required: { type: 'boolean' },
          type: { type: 'string', description: 'The ClickHouse type that it is bound as.' },
          description: text,
          format: text,
          choices: { type: 'array', items: text, description: 'Every value that is accepted.' },
          suggestions: { type: 'array', items: text, description: 'Values that mean something.' },
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
