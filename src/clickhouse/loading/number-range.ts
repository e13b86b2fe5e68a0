import { bareType, type Column } from './target-table.js';

/** What a numeric type holds, from and to, where JavaScript's numbers are exact enough to tell. */
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

/** A column, and the least and the greatest number that it holds. */
export interface NumberRange {
  readonly column: Column;
  readonly least: number;
  readonly greatest: number;
}

/** The ranges of the columns that have one. */
export function numberRanges(columns: readonly Column[]): NumberRange[] {
  return columns.flatMap((column) => {
    const range = RANGE_BY_TYPE[bareType(column)];
    return range ? [{ column, least: range[0], greatest: range[1] }] : [];
  });
}

/**
 * Whether a JSON value is a number too great or too small for its column. ClickHouse would store such a one as another
 * number: 99999 in a UInt16 as 34463, 1e999 in a Float64 as infinity.
 */
export function isOutOfRange({ least, greatest }: NumberRange, value: unknown): boolean {
  const number = asNumber(value);
  return number !== undefined && (number < least || number > greatest);
}

function asNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : undefined;
}
