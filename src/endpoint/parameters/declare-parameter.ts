import Joi from 'joi';

import { must, problemsBySchema } from '../schema-problems.js';
import type { Parameter, ParameterOptions, ParameterValue } from './parameter.js';

const OPTIONS = {
  description: must('a sentence', Joi.string().required()),
  required: must('true or false', Joi.boolean()),
} satisfies Record<keyof ParameterOptions, Joi.Schema>;

const MESSAGES = {
  'any.required': 'is required',
  'any.only': 'must be one of {#valids}',
  'string.empty': 'must not be empty',
};

interface OwnRules {
  readonly messages?: Readonly<Record<string, string>>;
  readonly options?: Readonly<Record<string, Joi.Schema>>;
}

/**
 * Completes a declaration.
 *
 * @param own.messages of the rules of the parameter's own, by Joi's error code, in addition to those of all parameters.
 * @param own.options the schemas of the options of the parameter's own.
 */
export function declareParameter<Value extends ParameterValue>(
  schema: Joi.Schema,
  options: ParameterOptions,
  facts: Omit<Parameter<Value>, 'schema' | 'required' | 'description' | 'problems'>,
  own: OwnRules = {},
): Parameter<Value> {
  const { required = false, description } = options;
  const complete = schema
    .messages({ ...MESSAGES, ...own.messages })
    .prefs({ errors: { wrap: { array: false } } });
  const problems = problemsBySchema(Joi.object({ ...OPTIONS, ...own.options }), options, 'the options');
  return { ...facts, description, required, problems, schema: required ? complete.required() : complete };
}
