import Joi from 'joi';

import { must } from '../schema-problems.js';
import { declareParameter } from './declare-parameter.js';
import type { Kind } from './kind.js';
import { ANY_TEXT, WITHOUT_NUL, type Parameter, type ParameterOptions } from './parameter.js';
import { numberOfCharacters } from './text.js';

/** What a regular expression is declared with. */
export interface ExpressionOptions extends ParameterOptions {
  /** Characters that an expression has at most. */
  readonly maxLength: number;
}

export const REGULAR_EXPRESSION: Kind<ExpressionOptions> = {
  name: 'regular-expression',
  options: { maxLength: must('a whole number of at least 1', Joi.number().integer().min(1).required()) },
  empty: ['problem', 'omitted'],
  type: () => 'String',
  types: 'String',
  accepts: ({ name }) => name === 'String',
  rules: ({ maxLength }) => ({
    parse: (text) =>
      numberOfCharacters(text) > maxLength
        ? { problem: `must be at most ${maxLength} characters` }
        : { value: text },
    format: 're2',
    syntax: 'Syntax: https://github.com/google/re2/wiki/Syntax.',
    jsonSchema: ANY_TEXT,
    limits: { ...WITHOUT_NUL, maxLength },
  }),
};

/**
 * A regular expression for ClickHouse's `match` (RE2, unanchored), not empty and at most `maxLength` characters. Only
 * ClickHouse finds out whether it compiles; the gateway responds with status 400 where it does not.
 *
 * @example
 * ```ts
 * regularExpression({ description: 'Only paths in which this is found.', maxLength: 200 })
 * ```
 */
export function regularExpression(options: ExpressionOptions): Parameter<string> {
  return declareParameter(REGULAR_EXPRESSION, options);
}
