import Joi from 'joi';

import { DECLARATION_KEYS } from '../definition-schema.js';
import { SCALAR } from '../parameters/check-options.js';
import { KIND_NAMES } from '../parameters/kinds.js';
import type { ParameterKind, ParameterOptions } from '../parameters/parameter.js';
import { must } from '../schema-problems.js';

type Scalar = string | number | bigint | boolean;

/** A parameter set in a header. */
export type HeaderSet = Readonly<Record<string, Scalar | readonly Scalar[]>>;

/** A parameter in a header; the other keys are the options of its kind. */
export interface HeaderParameter extends ParameterOptions {
  readonly kind: ParameterKind;
}

/** A column in a header. */
export interface HeaderColumn {
  readonly type: string;
  readonly description?: string;
  /** The text is a JSON object, and JSON formats write it as that object. */
  readonly json?: boolean;
}

const SET = must(
  'values by parameter',
  Joi.object().pattern(
    Joi.string(),
    must('a value or a list of values', Joi.alternatives(SCALAR, Joi.array().items(SCALAR))),
  ),
);

const TYPE = must('a ClickHouse type', Joi.string().required());

const COLUMN = Joi.alternatives().conditional(Joi.string(), {
  then: TYPE,
  otherwise: must(
    'a ClickHouse type, or an object with type, description and json',
    Joi.object({
      type: TYPE,
      description: must('a sentence', Joi.string()),
      json: must('true or false', Joi.boolean()),
    }),
  ),
});

/** The schema of a header. The options of a parameter depend on its kind: `declareParameters` checks them. */
export const HEADER = Joi.object({
  ...DECLARATION_KEYS,
  parameters: must(
    'an object of parameters by name',
    Joi.object().pattern(
      Joi.string(),
      must(
        'an object with kind, description and options',
        Joi.object({
          kind: must(`one of ${KIND_NAMES.join(', ')}`, Joi.valid(...KIND_NAMES).required()),
        }).unknown(),
      ),
    ),
  ),
  columns: must(
    'an object of types by column, at least one; `querygate check` writes it',
    Joi.object().pattern(Joi.string(), COLUMN).min(1).required(),
  ),
  maxRows: DECLARATION_KEYS.maxRows.optional(),
  caching: DECLARATION_KEYS.caching.optional(),
  warming: DECLARATION_KEYS.warming.optional(),
  sandboxing: DECLARATION_KEYS.sandboxing.optional(),
  example: SET,
  warm: must('an array of objects of values by parameter', Joi.array().items(SET)),
}).required();

/** The settings of an endpoint whose header omits them. */
export const DEFAULT_SETTINGS = { maxRows: 1000, caching: 60, warming: 0, sandboxing: 'disabled' } as const;
