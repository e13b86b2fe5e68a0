import Joi from 'joi';

import { DEPRECATION_RULES } from './deprecation-schema.js';
import type { EndpointDeclaration, EndpointDefinition, Parameters } from './definition.js';
import { must, validIf } from './schema-problems.js';
import { ENDPOINT_SETTINGS, MOST_EXPORTED } from './settings-schema.js';
import { isUuid } from './uuid.js';

const TEXTS_BY_NAME = Joi.object().pattern(Joi.string(), must('a string', Joi.string().allow('')));

const COLUMN = must(
  'a column: column(TYPE, MEANING) or jsonColumn(MEANING)',
  Joi.object({
    type: must('a ClickHouse type', Joi.string().required()),
    meaning: must('a sentence', Joi.string().required()),
    holdsJson: must('true or absent', Joi.valid(true)),
  }),
);

const TAG = must(
  'a lower-case word of letters, digits and hyphens',
  Joi.string().pattern(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
);

const PIECE_NAMES = ['table', 'time', 'bucket', 'from', 'to'];

/** A schema for each key of a declaration. */
export const DECLARATION_KEYS = {
  id: must('a UUID', Joi.string().custom(validIf(isUuid)).required()),
  name: must(
    'lower-case words joined by dots or hyphens, perhaps with @2 for a version',
    Joi.string()
      .pattern(/^[a-z0-9]+(?:[.-][a-z0-9]+)*(?:@[1-9]\d{0,3})?$/)
      .custom((name: string, { error }) => (isUuid(name) ? error('name.uuid') : name))
      .required(),
  ).messages({ 'name.uuid': 'must not have the form of a UUID' }),
  summary: must('one sentence', Joi.string().required()),
  tags: must('an array of lower-case words', Joi.array().items(TAG).unique()).messages({
    'array.unique': 'is there already',
  }),
  parameters: must('an object of parameters by name', Joi.object().unknown().required()),
  columns: must(
    'an object of columns by name, at least one',
    Joi.object().pattern(Joi.string(), COLUMN).min(1).required(),
  ),
  maxRows: must('a whole number of at least 1', ENDPOINT_SETTINGS.maxRows.required()),
  limit: must('a whole number of at least 1', Joi.number().integer().min(1)),
  caching: must(
    '"disabled", "until-changed", a whole number of seconds of at least 1, or an object with untilChanged: true, atMost and check in seconds',
    ENDPOINT_SETTINGS.caching.required(),
  ),
  warming: must('a whole number of seconds of at least 0', ENDPOINT_SETTINGS.warming.required()),
  sandboxing: must('"enabled" or "disabled"', ENDPOINT_SETTINGS.sandboxing.required()),
  staleIfError: must('a whole number of seconds of at least 0', ENDPOINT_SETTINGS.staleIfError),
  queryLimits: ENDPOINT_SETTINGS.queryLimits,
  limits: ENDPOINT_SETTINGS.limits,
  exports: must(
    `an object with maxRows (at most ${MOST_EXPORTED.rows}) and maxSeconds (at most ${MOST_EXPORTED.seconds})`,
    ENDPOINT_SETTINGS.exports,
  ),
  pages: must(
    'an object with by, a list of columns such as "timestamp desc"',
    Joi.object({ by: Joi.array().items(Joi.string()).min(1).required() }),
  ),
  pieces: must(
    'an object with table, time, bucket, from and to',
    Joi.object(
      Object.fromEntries(PIECE_NAMES.map((name) => [name, must('a name', Joi.string().required())])),
    ),
  ),
  unknownParameters: must('"ignore" or "reject"', ENDPOINT_SETTINGS.unknownParameters),
  deprecated: DEPRECATION_RULES,
  goneAfterSunset: must('true or false', ENDPOINT_SETTINGS.goneAfterSunset),
  numbers: must('"plain" or "text"', ENDPOINT_SETTINGS.numbers),
  tables: must('true or false', ENDPOINT_SETTINGS.tables),
  tenant: must(
    'an object of filters by table',
    Joi.object().pattern(
      Joi.string(),
      must(
        'a parameter with the name of its column, or an object of parameters by column',
        Joi.alternatives(Joi.string(), Joi.object().pattern(Joi.string(), Joi.string()).min(1)),
      ),
    ),
  ),
  example: must('an object of strings by parameter', TEXTS_BY_NAME.required()),
  warm: must('an array of objects of strings by parameter', Joi.array().items(TEXTS_BY_NAME)),
} satisfies Record<keyof EndpointDeclaration, Joi.Schema>;

/** The schema of a definition; `check-definition.ts` checks its parameters. */
export const DEFINITION = Joi.object({
  ...DECLARATION_KEYS,
  build: must('a function that returns the query', Joi.function().required()),
} satisfies Record<keyof EndpointDefinition<Parameters>, Joi.Schema>).required();
