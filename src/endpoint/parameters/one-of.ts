import Joi from 'joi';

import { must } from '../schema-problems.js';
import { declareParameter } from './declare-parameter.js';
import type { Kind } from './kind.js';
import type { Parameter, ParameterOptions } from './parameter.js';

/** What one of several values is declared with. */
export interface EnumOptions extends ParameterOptions {
  readonly choices: readonly string[];
}

export const ENUM: Kind<EnumOptions> = {
  name: 'enum',
  options: {
    choices: must(
      'an array of strings, at least one',
      Joi.array().items(Joi.string()).min(1).unique().required(),
    ),
  },
  empty: ['omitted', 'problem'],
  type: () => 'String',
  types: 'String, or Identifier for a column that `columns` lists',
  accepts: ({ name }) => name === 'String' || name === 'Identifier',
  rules: ({ choices }) => ({
    parse: (text) =>
      choices.includes(text) ? { value: text } : { problem: `must be one of ${choices.join(', ')}` },
    jsonSchema: { type: 'string', enum: choices },
    choices,
  }),
};

/**
 * One of these values; the problem of any other value lists them.
 *
 * @example
 * ```ts
 * oneOf(['hour', 'day'], { description: 'Size of a bucket.', default: 'hour' })
 * ```
 */
export function oneOf<const Choice extends string>(
  choices: readonly Choice[],
  options: ParameterOptions,
): Parameter<Choice> {
  return declareParameter<EnumOptions, Choice>(ENUM, { ...options, choices });
}
