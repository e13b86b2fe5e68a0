import { bareType, type Column } from './target-table.js';

/** Least and greatest value of each numeric type whose bounds JavaScript's numbers can compare. */
const RANGE_BY_TYPE: Readonly<Record<string, readonly [number, number]>> = {
  UInt8: [0, 0xff],
  UInt16: [0, 0xffff],
  UInt32: [0, 0xffff_ffff],
  Int8: [-0x80, 0x7f],
  Int16: [-0x8000, 0x7fff],
  Int32: [-0x8000_0000, 0x7fff_ffff],
  Float32: [-3.4028234663852886e38, 3.4028234663852886e38],
  Float64: [-Number.MAX_VALUE, Number.MAX_VALUE],
};

/** A column with the least and the greatest number that it can store. */
export interface NumberRange {
  readonly column: Column;
  readonly least: number;
  readonly greatest: number;
}

/** The ranges of the columns with a known range. */
export function numberRanges(columns: readonly Column[]): NumberRange[] {
  return columns.flatMap((column) => {
    const range = RANGE_BY_TYPE[bareType(column)];
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

function asNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : undefined;
}
