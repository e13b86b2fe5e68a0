import Joi from 'joi';

import { must } from '../schema-problems.js';
import { declareParameter } from './declare-parameter.js';
import type { Parameter, ParameterOptions } from './parameter.js';

const OWN = {
  choices: must('an array of strings, at least one', Joi.array().items(Joi.string()).min(1)),
};

/** One of these values; the problem of any other value lists them. */
export function oneOf<const Choice extends string>(
  choices: readonly Choice[],
  options: ParameterOptions,
): Parameter<Choice> {
  const given = { ...options, choices };
  return declareParameter(
    Joi.string().valid(...choices),
    given,
    {
      kind: 'enum',
      type: 'String',
      empty: 'problem',
      jsonSchema: { type: 'string', enum: choices },
      choices,
    },
    { options: OWN },
  );
}
