import { bareType } from '../../endpoint/type-name.js';
import type { Column } from './column.js';

/** The column that `--shift-to-now` shifts, and whose times are checked. */
const NAME = 'timestamp';

/**
 * The whole years that each type can store, first and last. ClickHouse reads other times too, but stores the nearest
 * that the type has (Date, Date32, DateTime), or prints and compares them incorrectly (DateTime64).
 */
const YEARS_BY_TYPE: Readonly<Record<string, readonly [number, number]>> = {
  Date: [1970, 2148],
  Date32: [1900, 2298],
  DateTime: [1970, 2105],
  DateTime64: [1900, 2299],
};
/** A DateTime64(9) counts nanoseconds in 64 bits. */
const YEARS_OF_NANOSECONDS: readonly [number, number] = [1900, 2261];

/** The column `timestamp` of a table, if its type is a date or a time. */
export interface TimeColumn {
  readonly name: typeof NAME;
  readonly type: string;
  /** The years that it can store. */
  readonly years: readonly [first: number, last: number];
  /** Their begin and end, in microseconds since 1970. */
  readonly earliest: number;
  readonly end: number;
  /** Whether a line without a timestamp would get the time of the INSERT, or 1970. */
  readonly isRequired: boolean;
  /** Microseconds in the unit of a JSON number; 0 where ClickHouse reads every number as a time of the type. */
  readonly microsecondsPerUnit: number;
}

/** The time column among the columns of a table; undefined without one. */
export function findTimeColumn(columns: readonly Column[]): TimeColumn | undefined {
  const column = columns.find(({ name }) => name === NAME);
  if (!column) return undefined;
  const scale = /DateTime64\((\d)/.exec(column.type)?.[1];
  const years = scale === '9' ? YEARS_OF_NANOSECONDS : YEARS_BY_TYPE[bareType(column.type).name];
  if (!years) return undefined;
  return {
    name: NAME,
    type: column.type,
    years,
    earliest: Date.UTC(years[0], 0, 1) * 1000,
    end: Date.UTC(years[1] + 1, 0, 1) * 1000,
    isRequired:
      !column.type.includes('Nullable(') &&
      (column.defaultExpression === '' || /\b(?:now|now64|today)\(/i.test(column.defaultExpression)),
    microsecondsPerUnit: scale === undefined ? 0 : 10 ** (6 - Number(scale)),
  };
}

/** Whether the column can store a time, in microseconds since 1970. */
export function isInRange({ earliest, end }: TimeColumn, micros: bigint | number): boolean {
  return micros >= earliest && micros < end;
}

/** SQL: the time in microseconds since 1970. */
export function microsecondsOf({ name }: TimeColumn): string {
  return `toUnixTimestamp64Micro(toDateTime64(${name}, 6, 'UTC'))`;
}

/** SQL: the time shifted by microseconds, more precise than the column if need be. */
export function shifted({ name, type }: TimeColumn, shift: bigint): string {
  const time = bareType(type).name.startsWith('DateTime') ? name : `toDateTime64(${name}, 6, 'UTC')`;
  return `addMicroseconds(${time}, toInt64(${shift}))`;
}

/** Microseconds since 1970. */
export function toMicroseconds(time: Date): bigint {
  return BigInt(time.getTime()) * 1000n;
}
