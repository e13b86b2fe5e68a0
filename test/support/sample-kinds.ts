import { column } from '../../src/endpoint/definition.js';
import { defineEndpoint, type Endpoint } from '../../src/endpoint/endpoint.js';
import { boolean, integer, oneOf, sql, text, textList, timestamp } from '../../src/endpoint/index.js';

const description = 'A value.';

/** An endpoint with parameters of several kinds, which returns one column. */
export const KINDS: Endpoint = defineEndpoint({
  id: '11111111-2222-4333-8444-666666666666',
  name: 'kinds',
  summary: 'Parameters of several kinds.',
  parameters: {
    word: text({ description }),
    size: integer({ description, minimum: -5_000_000_000, maximum: 5_000_000_000 }),
    big: integer({ description }),
    flag: boolean({ description }),
    unit: oneOf(['day', 'hour'], { description }),
    since: timestamp({ description }),
    names: textList({ description, set: true }),
    steps: textList({ description }),
  },
  columns: { n: column('UInt64', 'A number.') },
  maxRows: 10,
  caching: 60,
  warming: 0,
  sandboxing: 'disabled',
  example: { word: 'a' },
  build: ({ word, size, big, flag, unit, since, names, steps }) =>
    sql`SELECT length(${word}) + ${size} + ${big} + ${flag} + length(${unit}) + length(toString(${since})) + length(${names}) + length(${steps}) AS n`,
});

/** The path of its calls. */
export const KINDS_CALL = '/api/endpoints/query/kinds';
