import Joi from 'joi';

import { declareParameter, type Parameter, type ParameterOptions } from './parameter.js';

/** One of these values; the problem of any other value lists them. */
export function oneOf<const Choice extends string>(
  choices: readonly Choice[],
  options: ParameterOptions,
): Parameter<Choice> {
  return declareParameter(Joi.string().valid(...choices), options, {
    kind: 'enum',
    type: 'String',
    empty: 'problem',
    jsonSchema: { type: 'string', enum: choices },
    choices,
  });
}
