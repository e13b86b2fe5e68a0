import Joi from 'joi';

import { must } from '../schema-problems.js';
import { declareParameter } from './declare-parameter.js';
import { ANY_TEXT, type Parameter, type ParameterOptions } from './parameter.js';

const OWN = { maxLength: must('a whole number of at least 1', Joi.number().integer().min(1).required()) };

/**
 * A regular expression for ClickHouse's `match` (RE2, unanchored), not empty and at most `maxLength` characters. Only
 * ClickHouse finds out whether it compiles; the gateway responds with status 400 where it does not.
 */
export function regularExpression(
  options: ParameterOptions & { readonly maxLength: number },
): Parameter<string> {
  const { maxLength } = options;
  const schema = Joi.string().custom((value: string, helpers) =>
    // Characters, not UTF-16 units: a person counts characters.
    Array.from(value).length > maxLength ? helpers.error('string.max', { limit: maxLength }) : value,
  );
  return declareParameter(
    schema,
    options,
    {
      kind: 'regular-expression',
      type: 'String',
      empty: 'problem',
      format: 're2',
      syntax: 'Syntax: https://github.com/google/re2/wiki/Syntax.',
      jsonSchema: ANY_TEXT,
    },
    { messages: { 'string.max': 'must be at most {#limit} characters' }, options: OWN },
  );
}
