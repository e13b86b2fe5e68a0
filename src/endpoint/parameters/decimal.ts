import Joi from 'joi';

import { exactNumber, multiples, type ExactNumber } from '../exact-number.js';
import { must, validIf } from '../schema-problems.js';
import type { TypeName } from '../type-name.js';
import { declareParameter } from './declare-parameter.js';
import type { Kind } from './kind.js';
import type { Parameter, ParameterOptions } from './parameter.js';

/** An exact number: a text, or a number of JavaScript, which means its shortest text. */
type Exact = string | number | bigint;

/** What an exact decimal number is declared with. */
export interface DecimalOptions extends ParameterOptions {
  /** Digits after the decimal point; 9 where absent. */
  readonly scale?: number;
  readonly minimum?: Exact;
  readonly maximum?: Exact;
}

/** Digits of ClickHouse's Decimal128. */
const PRECISION = 38;
const TYPE = /^Decimal(32|64|128|256)?$/;
const PRECISION_BY_BITS: ReadonlyMap<string, number> = new Map([
  ['32', 9],
  ['64', 18],
  ['128', 38],
  ['256', 76],
]);

const BOUND = must(
  'a decimal number',
  Joi.any().custom(validIf((bound) => parse(String(bound)) !== undefined)),
);

export const DECIMAL: Kind<DecimalOptions> = {
  name: 'decimal',
  options: {
    scale: must(`a whole number from 0 to ${PRECISION}`, Joi.number().integer().min(0).max(PRECISION)),
    minimum: BOUND,
    maximum: BOUND,
  },
  empty: ['omitted', 'problem'],
  type: ({ scale = 9 }) => `Decimal(${PRECISION}, ${scale})`,
  types: 'Decimal(P, S)',
  accepts: (type) => TYPE.test(type.name) && isShape(shapeOf(type)),
  rules: (options, types) => {
    const shapes = types.map(shapeOf);
    const scale = Math.min(...shapes.map((shape) => shape.scale), options.scale ?? Infinity);
    const whole = Math.min(...shapes.map((shape) => shape.precision - shape.scale));
    const [least, greatest] = [options.minimum, options.maximum].map((bound) =>
      bound === undefined ? undefined : parse(String(bound)),
    );
    return {
      isContradictory: least !== undefined && greatest !== undefined && isLess(greatest, least),
      parse: (text) => {
        const number = parse(text);
        if (!number) return { problem: 'must be a decimal number, such as 12.50' };
        if (-number.exponent > scale) return { problem: `must have at most ${scale} decimal places` };
        if (number.digits.length + number.exponent > whole)
          return { problem: `must have at most ${whole} digits before the point` };
        if (least && isLess(number, least)) return { problem: `must be at least ${written(least)}` };
        if (greatest && isLess(greatest, number)) return { problem: `must be at most ${written(greatest)}` };
        return { value: written(number) };
      },
      format: 'decimal',
      jsonSchema: { type: 'string', format: 'decimal', examples: ['12.5'] },
      limits: { pattern: '^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)$' },
    };
  },
};

/**
 * An exact decimal number.
 *
 * @example
 * ```ts
 * decimal({ description: 'Only orders above this price.', scale: 2 })
 * ```
 */
export function decimal(options: DecimalOptions): Parameter<string> {
  return declareParameter(DECIMAL, options);
}

/** A number without an exponent. */
const parse = (text: string): ExactNumber | undefined => (/e/i.test(text) ? undefined : exactNumber(text));

function written({ isNegative, digits, exponent }: ExactNumber): string {
  const whole = exponent < 0 ? digits.slice(0, exponent) : digits + '0'.repeat(exponent);
  const fraction = exponent < 0 ? `.${digits.padStart(-exponent, '0').slice(exponent)}` : '';
  return `${isNegative ? '-' : ''}${whole || '0'}${fraction}`;
}

function isLess(a: ExactNumber, b: ExactNumber): boolean {
  const [one = 0n, other = 0n] = multiples([a, b]);
  return one < other;
}

interface Shape {
  readonly precision: number;
  readonly scale: number;
}

const isShape = ({ precision, scale }: Shape): boolean =>
  Number.isInteger(precision) &&
  Number.isInteger(scale) &&
  precision >= 1 &&
  precision <= 76 &&
  scale >= 0 &&
  scale <= precision;

/** `Decimal(P)`, `Decimal(P, S)` and `Decimal64(S)`; no valid shape where an argument is not a number. */
function shapeOf({ name, args }: TypeName): Shape {
  const bits = TYPE.exec(name)?.[1];
  const [first = 10, second = 0] = args.map(Number);
  if (bits === undefined) return { precision: first, scale: second };
  return { precision: PRECISION_BY_BITS.get(bits) ?? NaN, scale: args.length === 1 ? first : NaN };
}
