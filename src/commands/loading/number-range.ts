import { bareType } from '../../endpoint/type-name.js';
import type { Column } from './column.js';

const FLOAT_RANGES: Readonly<Record<string, readonly [number, number]>> = {
  Float32: [-3.4028234663852886e38, 3.4028234663852886e38],
  Float64: [-Number.MAX_VALUE, Number.MAX_VALUE],
};

/** A column with the least and the greatest number that it can store. */
export interface NumberRange {
  readonly column: Column;
  readonly least: number;
  readonly greatest: number;
}

/** The ranges of the columns with a number type. */
export function numberRanges(columns: readonly Column[]): NumberRange[] {
  return columns.flatMap((column) => {
    const range = rangeOf(bareType(column.type).name);
    return range ? [{ column, least: range[0], greatest: range[1] }] : [];
  });
}

/**
 * Whether a JSON value is a number outside its column's range. ClickHouse would store another number: 99999 in a
 * UInt16 as 34463, 1e999 in a Float64 as infinity.
 */
export function isOutOfRange({ least, greatest }: NumberRange, value: unknown): boolean {
  const number = asNumber(value);
  return number !== undefined && (number < least || number > greatest);
}

/** The bounds of more than 32 bits are those that JavaScript's numbers can compare: rounded outwards. */
function rangeOf(type: string): readonly [number, number] | undefined {
  const [, unsigned, bits] = /^(U?)Int(\d+)$/.exec(type) ?? [];
  if (bits === undefined) return FLOAT_RANGES[type];
  return unsigned === 'U'
    ? [0, 2 ** Number(bits) - 1]
    : [-(2 ** (Number(bits) - 1)), 2 ** (Number(bits) - 1) - 1];
}

function asNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : undefined;
}
