import Joi from 'joi';

import type { JsonSchema } from '../json-schema.js';
import { must, validIf } from '../schema-problems.js';
import type { TypeName } from '../type-name.js';
import { declareParameter } from './declare-parameter.js';
import type { Kind } from './kind.js';
import type { Parameter, ParameterOptions } from './parameter.js';

/** A whole number; beyond 2^53 a text or a bigint, because a number of JavaScript is not exact there. */
type Whole = number | bigint | string;

/** What a whole number is declared with. */
export interface IntegerOptions extends ParameterOptions {
  readonly minimum?: Whole;
  readonly maximum?: Whole;
}

const WHOLE = /^[+-]?\d+$/;

const BOUND = must('a whole number, in quotes beyond 2^53', Joi.any().custom(validIf(isWhole)));

export const INTEGER: Kind<IntegerOptions> = {
  name: 'integer',
  options: { minimum: BOUND, maximum: BOUND },
  empty: ['omitted', 'problem'],
  type: () => 'Int64',
  types: 'an integer type from Int8 to UInt256',
  accepts: ({ name, args }) => bitsOf(name) !== undefined && args.length === 0,
  rules: ({ minimum, maximum }, types) => {
    const ranges = types.map(rangeOf);
    const least = greatestOf([...ranges.map(([first]) => first), ...given(minimum)]);
    const greatest = leastOf([...ranges.map(([, last]) => last), ...given(maximum)]);
    return {
      isContradictory: least > greatest,
      parse: (text) => {
        if (!WHOLE.test(text)) return { problem: 'must be a whole number, such as 42 or -7' };
        const value = BigInt(text.replace(/^\+/, ''));
        return value < least || value > greatest
          ? { problem: `must be a whole number between ${least} and ${greatest}` }
          : { value: value.toString() };
      },
      jsonSchema: {
        type: 'integer',
        ...(ranges.length === 1 && types[0]?.name === 'Int64' && { format: 'int64' }),
        ...safe('minimum', least),
        ...safe('maximum', greatest),
      },
    };
  },
};

/**
 * A whole number, exact beyond 2^53; `1`, `01` and `+1` are one value.
 *
 * @example
 * ```ts
 * integer({ description: 'Only rows with so many hits at least.', minimum: 1, default: 1 })
 * ```
 */
export function integer(options: IntegerOptions): Parameter<string> {
  return declareParameter(INTEGER, options);
}

function isWhole(bound: unknown): bound is Whole {
  if (typeof bound === 'string') return WHOLE.test(bound);
  return typeof bound === 'bigint' || Number.isSafeInteger(bound);
}

const given = (bound: Whole | undefined): readonly bigint[] =>
  bound === undefined ? [] : [BigInt(String(bound).replace(/^\+/, ''))];

const bitsOf = (name: string): number | undefined => {
  const [, bits] = /^U?Int(8|16|32|64|128|256)$/.exec(name) ?? [];
  return bits === undefined ? undefined : Number(bits);
};

function rangeOf({ name }: TypeName): readonly [bigint, bigint] {
  const bits = BigInt(bitsOf(name) ?? 64);
  return name.startsWith('U') ? [0n, 2n ** bits - 1n] : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
}

const greatestOf = (values: readonly bigint[]): bigint => values.reduce((a, b) => (a > b ? a : b));
const leastOf = (values: readonly bigint[]): bigint => values.reduce((a, b) => (a < b ? a : b));

/** JSON Schema writes bounds as numbers, which are not exact beyond 2^53. */
function safe(key: 'minimum' | 'maximum', bound: bigint): Pick<JsonSchema, 'minimum' | 'maximum'> {
  return Number.isSafeInteger(Number(bound)) ? { [key]: Number(bound) } : {};
}
