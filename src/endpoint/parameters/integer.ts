import Joi from 'joi';

import { must } from '../schema-problems.js';
import { declareParameter } from './declare-parameter.js';
import type { Parameter, ParameterOptions } from './parameter.js';

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

const BOUND = must('a whole number', Joi.number().integer());
const OWN = { minimum: BOUND, maximum: BOUND };

/**
 * A whole number of 64 bits, exact beyond 2^53; `1`, `01` and `+1` are one value. An empty text means an omitted
 * parameter.
 *
 * @param options.minimum the least valid value, a safe integer.
 * @param options.maximum the greatest valid value, a safe integer.
 */
export function integer(
  options: ParameterOptions & { readonly minimum?: number; readonly maximum?: number },
): Parameter<string> {
  const { minimum, maximum } = options;
  const [least, greatest] = [BigInt(minimum ?? INT64_MIN), BigInt(maximum ?? INT64_MAX)];
  const schema = Joi.string()
    .empty('')
    .custom((text: string, helpers) => {
      if (!/^[+-]?\d+$/.test(text)) return helpers.error('integer.form');
      const value = BigInt(text.replace(/^\+/, ''));
      return value < least || value > greatest ? helpers.error('integer.range') : value.toString();
    });
  const facts = {
    kind: 'integer',
    type: 'Int64',
    empty: 'omitted',
    jsonSchema: {
      type: 'integer',
      format: 'int64',
      ...(minimum !== undefined && { minimum }),
      ...(maximum !== undefined && { maximum }),
    },
  } as const;
  const messages = {
    'integer.form': 'must be a whole number, such as 42 or -7',
    'integer.range': `must be a whole number between ${least} and ${greatest}`,
  };
  return declareParameter(schema, options, facts, { messages, options: OWN });
}
