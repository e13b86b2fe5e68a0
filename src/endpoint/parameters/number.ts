import Joi from 'joi';

import { must } from '../schema-problems.js';
import { declareParameter } from './declare-parameter.js';
import type { Kind } from './kind.js';
import type { Parameter, ParameterOptions } from './parameter.js';

/** What a floating-point number is declared with. */
export interface NumberOptions extends ParameterOptions {
  readonly minimum?: number;
  readonly maximum?: number;
}

const FORM = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
/** The greatest finite value of each type. */
const GREATEST: ReadonlyMap<string, number> = new Map([
  ['Float32', 3.4028234663852886e38],
  ['Float64', Number.MAX_VALUE],
]);

const BOUND = must('a number', Joi.number().unsafe());

export const NUMBER: Kind<NumberOptions> = {
  name: 'number',
  options: { minimum: BOUND, maximum: BOUND },
  empty: ['omitted', 'problem'],
  type: () => 'Float64',
  types: 'Float32 or Float64',
  accepts: ({ name }) => GREATEST.has(name),
  rules: ({ minimum, maximum }, types) => {
    const limit = Math.min(...types.map(({ name }) => GREATEST.get(name) ?? 0));
    const [least, greatest] = [Math.max(minimum ?? -limit, -limit), Math.min(maximum ?? limit, limit)];
    return {
      isContradictory: least > greatest,
      parse: (text) => {
        if (!FORM.test(text)) return { problem: 'must be a number, such as 0.5 or -1e3' };
        const value = Number(text);
        return value < least || value > greatest
          ? { problem: `must be a number between ${least} and ${greatest}` }
          : // `-0` is `0`: they are equal, and must have one cache key.
            { value: String(value + 0) };
      },
      jsonSchema: {
        type: 'number',
        ...(minimum !== undefined && { minimum }),
        ...(maximum !== undefined && { maximum }),
      },
    };
  },
};

/**
 * A floating-point number; neither NaN nor infinity.
 *
 * @example
 * ```ts
 * number({ description: 'Only this quantile.', minimum: 0, maximum: 1, default: 0.95 })
 * ```
 */
export function number(options: NumberOptions): Parameter<string> {
  return declareParameter(NUMBER, options);
}
