import { bareType } from '../../endpoint/type-name.js';

/** A column that an INSERT can write. */
export interface Column {
  readonly name: string;
  /** ClickHouse's spelling: `LowCardinality(Nullable(String))`. */
  readonly type: string;
  /** Default for lines without the field; empty for the default of the type. */
  readonly defaultExpression: string;
}

/** A column that an INSERT cannot write, because ClickHouse computes it. */
export interface ComputedColumn {
  readonly name: string;
  readonly type: string;
  readonly kind: 'MATERIALIZED' | 'ALIAS';
  readonly expression: string;
}

/** The column that `--shift-to-now` shifts. */
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
  /** The whole years that it can store. */
  readonly years: readonly [first: number, last: number];
  /** Whether a line without a timestamp would get the time of the INSERT, or 1970. */
  readonly isRequired: boolean;
}

/** How ClickHouse reads lines as rows of a table. */
export interface RowShape {
  readonly columns: readonly Column[];
  /** Defaults may depend on these. */
  readonly computed: readonly ComputedColumn[];
  readonly time: TimeColumn | undefined;
  /** Whether the columns were inferred from the first lines: a later line is not read otherwise than those. */
  readonly isInferred?: boolean;
}

/** The time column among the columns of a table; undefined without one. */
export function findTimeColumn(columns: readonly Column[]): TimeColumn | undefined {
  const column = columns.find(({ name }) => name === NAME);
  if (!column) return undefined;
  const { type, defaultExpression } = column;
  const years = type.includes('DateTime64(9') ? YEARS_OF_NANOSECONDS : YEARS_BY_TYPE[bareType(type).name];
  return (
    years && {
      name: NAME,
      type,
      years,
      isRequired:
        !type.includes('Nullable(') &&
        (defaultExpression === '' || /\b(?:now|now64|today)\(/i.test(defaultExpression)),
    }
  );
}

/** Why the column cannot store a time after a shift, in microseconds since 1970; undefined where it can, or where there is no time. */
export function reasonOutOfRange(
  time: TimeColumn | undefined,
  micros: bigint | undefined,
): string | undefined {
  if (!time || micros === undefined) return undefined;
  const [first, last] = time.years;
  const isInRange = micros >= Date.UTC(first, 0, 1) * 1000 && micros < Date.UTC(last + 1, 0, 1) * 1000;
  return isInRange ? undefined : `${time.name}, after the shift, is outside the years ${first} to ${last}`;
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
