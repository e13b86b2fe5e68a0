import { writtenCaching } from '../../../endpoint/caching.js';
import type { Principal } from '../../auth/principal.js';
import { describeDeprecation } from '../../../endpoint/deprecation.js';
import { NUMBERS } from '../../../endpoint/definition.js';
import type { Endpoint } from '../../../endpoint/endpoint.js';
import type { JsonSchema } from '../../../endpoint/json-schema.js';
import type { Pieces } from '../../../endpoint/pieces.js';
import { itemOfOrder } from '../../../endpoint/page-order.js';
import { refusalOfExport } from '../call/require-export.js';
import { describeParameters, exampleOf, type DescribedParameter } from './described-parameter.js';

type Properties = Readonly<Record<string, JsonSchema>>;

/** The values of an object with these properties. Optional ones can be undefined, and are then absent in the JSON. */
type ValuesOf<P extends Properties> = { readonly [Name in keyof P]: unknown };

const TEXT: JsonSchema = { type: 'string' };
const FLAG: JsonSchema = { type: 'boolean' };
const text = (description: string): JsonSchema => ({ type: 'string', description });
const texts = (description: string): JsonSchema => ({ type: 'array', items: TEXT, description });
const whole = (minimum: 0 | 1, description: string): JsonSchema => ({
  type: 'integer',
  minimum,
  description,
});
const oneOf = (title: string, ...values: readonly string[]): JsonSchema => ({
  type: 'string',
  title,
  enum: values,
});

function objectOf<P extends Properties>(properties: P, optional: readonly (keyof P)[]): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', required, properties };
}

const PARAMETER = {
  name: TEXT,
  kind: text(
    'string, integer, number, boolean, date, timestamp, uuid, decimal, enum, timezone or regular-expression; with -list for a list.',
  ),
  required: FLAG,
  empty: {
    ...oneOf('EmptyText', 'value', 'omitted', 'problem'),
    description: 'What an empty text means: a value, an omitted parameter, or an invalid one.',
  },
  type: text('The ClickHouse type that it is bound as.'),
  description: TEXT,
  format: TEXT,
  choices: texts('Every valid value.'),
  suggestions: texts('Values with a meaning of their own.'),
  default: text('The value of an omitted parameter, as a caller would send it.'),
  minimum: { type: 'number' },
  maximum: { type: 'number' },
  maxLength: {
    type: 'integer',
    description: 'Characters, where there is a bound below that of every value.',
  },
  pattern: text('A regular expression that a value must match.'),
  relativeStep: {
    type: 'integer',
    description: 'Relative times such as now-7d are accepted; their now is rounded down to these seconds.',
  },
  set: { ...FLAG, description: 'Order and duplicates of the items of this list make no difference.' },
  deprecated: FLAG,
  secret: { ...FLAG, description: 'Send it in the body of a POST; links cannot carry it.' },
  pinned: {
    ...objectOf({ value: TEXT }, ['value']),
    description: 'Present where the key supplies the value: leave it out. It is not shown of a secret.',
  },
  choicesFrom: {
    ...objectOf({ endpoint: TEXT, column: TEXT }, []),
    description: 'An endpoint, one column of which lists values.',
  },
} satisfies Properties;

const COLUMN = {
  name: TEXT,
  type: text('A ClickHouse type.'),
  description: TEXT,
  onlyWith: texts('Parameters that must have a value for a result to have this column.'),
} satisfies Properties;

const ENDPOINT = {
  id: { type: 'string', format: 'uuid' },
  name: TEXT,
  description: TEXT,
  tags: texts('Lower-case words, to find the endpoint by.'),
  query: text('The saved query, with `@name` for each parameter.'),
  maxRows: whole(1, 'The row cap. A result has no more rows than this, nor than `limit`.'),
  limit: whole(
    1,
    'The LIMIT at the end of the saved query; absent where it has none. It cuts results by design, unless `maxRows` is lower and cuts them first.',
  ),
  caching: {
    description: 'How long a result is cached: seconds, or until the data changes.',
    anyOf: [
      whole(0, 'Seconds.'),
      oneOf('NoCaching', 'disabled'),
      oneOf('UntilChanged', 'until-changed'),
      objectOf(
        {
          untilChanged: FLAG,
          atMost: whole(1, 'Seconds after which a result is not used, changed or not.'),
          check: whole(1, 'Seconds for which a result is served before the data is checked again.'),
        },
        [],
      ),
    ],
  },
  warming: whole(0, 'Seconds between refreshes of a result in use; 0: never.'),
  sandboxing: oneOf('Sandboxing', 'enabled', 'disabled'),
  unknownParameters: {
    ...oneOf('UnknownParameters', 'reject', 'ignore'),
    description:
      'What a call with undeclared parameters gets: 400, or, where absent too, a response that names them.',
  },
  numbers: {
    ...oneOf('NumbersSetting', ...NUMBERS),
    description:
      'Whether JSON has 64-bit integers, and all wider numbers, as strings where a call does not say; plain where absent.',
  },
  tables: {
    ...FLAG,
    description: 'Whether the endpoint is a table over the SQL port; it is none where absent.',
  },
  deprecated: {
    ...objectOf(
      {
        since: text('From when on callers should leave it.'),
        sunset: text('When it may be removed.'),
        successor: text('The endpoint to call instead.'),
        goneAfterSunset: { ...FLAG, description: 'Whether calls are 410 from then on.' },
      },
      ['sunset', 'successor'],
    ),
    description: 'Present where callers should leave the endpoint.',
  },
  exports: {
    ...objectOf(
      {
        maxRows: whole(1, 'Rows that an export has at most.'),
        maxSeconds: whole(1, 'Seconds that its query and its transfer may take together.'),
      },
      [],
    ),
    description: 'Present where the key may send `export=1`.',
  },
  pages: {
    ...objectOf({ by: texts('The columns that order the rows.') }, []),
    description: 'Present where a result that is cut has a cursor of the next page.',
  },
  pieces: {
    ...objectOf({ bucket: TEXT, from: TEXT, to: TEXT }, []),
    description: 'Present where results of a time range are composed of kept rows and new ones.',
  },
  parameters: {
    type: 'array',
    items: objectOf(PARAMETER, [
      ...(['format', 'choices', 'suggestions', 'default', 'minimum', 'maximum', 'maxLength'] as const),
      'choicesFrom',
      ...(['pattern', 'relativeStep', 'set', 'deprecated', 'secret', 'pinned'] as const),
    ]),
  },
  columns: { type: 'array', items: objectOf(COLUMN, ['onlyWith']) },
  example: {
    type: 'object',
    description: 'Parameters of a call that works on the demonstration data.',
    additionalProperties: TEXT,
  },
} satisfies Properties;

/** An endpoint as `GET /api/endpoints` shows it. */
export const ENDPOINT_SCHEMA = objectOf(ENDPOINT, [
  'limit',
  'unknownParameters',
  'numbers',
  'tables',
  'deprecated',
  'exports',
  'pages',
  'pieces',
]);

/**
 * The endpoint as the principal can call it. Pinned parameters are not required. The example omits pinned and secret ones.
 *
 * @param pins the pinned values to show
 */
export function resourceOf(
  endpoint: Endpoint,
  principal: Principal,
  pins: ReadonlyMap<string, string>,
): ValuesOf<typeof ENDPOINT> {
  const { id, name, summary, tags, savedQuery, settings, limit, columns, optionalColumns } = endpoint;
  const { maxRows, warming, sandboxing, unknownParameters, numbers, tables } = settings;
  const exports = refusalOfExport(principal, endpoint) === undefined ? settings.exports : undefined;
  const caching = writtenCaching(settings);
  const parameters = describeParameters(endpoint, principal.pinned);
  return {
    ...{ id, name, description: summary, tags, query: savedQuery, maxRows, limit },
    ...{ caching, warming, sandboxing, unknownParameters, numbers, tables, exports },
    deprecated: describeDeprecation(endpoint),
    pages: endpoint.pages && { by: endpoint.pages.order.map(itemOfOrder) },
    pieces: endpoint.pieces && describePieces(endpoint.pieces),
    parameters: parameters.map((parameter) => ({
      ...parameterOf(parameter),
      pinned: parameter.isPinned ? { value: pins.get(parameter.name) } : undefined,
    })),
    columns: [...columns].map(([column, { type, meaning }]): ValuesOf<typeof COLUMN> => {
      return { name: column, type, description: meaning, onlyWith: optionalColumns.get(column) };
    }),
    example: exampleOf(parameters),
  };
}

function describePieces({ bucket, from, to }: Pieces): ValuesOf<typeof ENDPOINT>['pieces'] {
  return { bucket: itemOfOrder(bucket), from, to };
}

function parameterOf(parameter: DescribedParameter): Omit<ValuesOf<typeof PARAMETER>, 'pinned'> {
  const { name, kind, required, empty, type, description, format, choices, suggestions } = parameter;
  const { minimum, maximum, maxLength, pattern } = parameter.bounds;
  const { relativeStepMs, isSet, deprecated, secret, choicesFrom } = parameter;
  return {
    ...{ name, kind, required, empty, type, description, format, choices, suggestions },
    ...{ default: parameter.default, minimum, maximum, maxLength, pattern },
    relativeStep: relativeStepMs === undefined ? undefined : relativeStepMs / 1000,
    ...{ set: isSet, deprecated, secret, choicesFrom },
  };
}
