import { isRecord } from '../../endpoint/as-record.js';
import { canonicalNumber, exactNumber, multiples } from '../../endpoint/exact-number.js';
import { parseIsoTimestamp } from '../../endpoint/iso-timestamp.js';
import { bareType, tupleField } from '../../endpoint/type-name.js';
import type { Row } from './test-file.js';

interface Tolerances {
  /** How far a number may be from the expected one; absent: not at all. */
  readonly tolerance?: number | undefined;
  /** How far a value of a Float type may be from the expected one, as a share of the larger; absent: not at all. */
  readonly floatTolerance?: number | undefined;
}

/** How rows are compared. */
export interface Comparison extends Tolerances {
  readonly isOrdered: boolean;
  /** The columns that are compared; absent: all. */
  readonly only?: readonly string[] | undefined;
  /** ClickHouse types by column. */
  readonly types: ReadonlyMap<string, string>;
}

/** A row that is missing, one that was not expected, or both where the second seems to be the first with other values. */
export interface RowDifference {
  readonly expected?: Row;
  readonly came?: Row;
}

/** The rows that differ. */
export interface RowsDifference {
  readonly differences: readonly RowDifference[];
  /** Rows that are as expected. */
  readonly same: number;
  /** Whether all rows are present, but in another order. */
  readonly isOtherOrder: boolean;
}

/** Compares rows: without `isOrdered` in any order, but each as often as expected. */
export function compareRows(expected: readonly Row[], came: readonly Row[], how: Comparison): RowsDifference {
  const keyOf = keyOfRows(how);
  const candidates = new Map<string, Row[]>();
  for (const row of came) {
    const key = keyOf(row);
    const alike = candidates.get(key);
    if (alike) alike.push(row);
    else candidates.set(key, [row]);
  }
  const taken = new Set<Row>();
  const missing = expected.filter((row) => {
    const alike = candidates.get(keyOf(row)) ?? [];
    const at = alike.findIndex((other) => isSameRow(row, other, how));
    for (const other of at === -1 ? [] : alike.splice(at, 1)) taken.add(other);
    return at === -1;
  });
  const rest = came.filter((row) => !taken.has(row));
  const same = expected.length - missing.length;
  if (missing.length + rest.length > 0)
    return { differences: paired(missing, rest, how), same, isOtherOrder: false };
  const others = how.isOrdered
    ? expected.flatMap((row, index) => {
        const other = came[index] ?? {};
        return isSameRow(row, other, how) ? [] : [{ expected: row, came: other }];
      })
    : [];
  return { differences: others, same: same - others.length, isOtherOrder: others.length > 0 };
}

/**
 * A text that two rows have in common if they can be equal, so that few rows are compared. It omits values that can be written in
 * another form, or may differ within a tolerance.
 */
function keyOfRows({ types, only, tolerance = 0, floatTolerance = 0 }: Comparison): (row: Row) => string {
  const names = new Map([...types].map(([column, type]) => [column, bareType(type).name]));
  const textOf = (value: unknown, name: string): string => {
    if (Array.isArray(value) || isRecord(value)) return '';
    const scalar = (value ?? null) as Scalar;
    const text = String(scalar);
    if (OF_TEXTS.test(name)) return text;
    if (!NUMBER.test(text)) return name.startsWith('Date') ? String(parseIsoTimestamp(text) ?? text) : text;
    return tolerance > 0 || (floatTolerance > 0 && name.includes('Float')) ? '' : String(Number(text));
  };
  return (row) =>
    JSON.stringify(
      (only ?? Object.keys(row).sort()).map((column) => [
        column,
        textOf(row[column], names.get(column) ?? ''),
      ]),
    );
}

/** Names of the columns whose values differ between two rows. */
export function differentColumns(
  { expected = {}, came = {} }: RowDifference,
  how: Comparison,
): readonly string[] {
  return columnsOf(expected, came, how).filter((column) => !isSameIn(column, expected, came, how));
}

const columnsOf = (one: Row, other: Row, { only }: Comparison): readonly string[] =>
  only ?? [...new Set([...Object.keys(one), ...Object.keys(other)])];

/** Whether two rows are the same in every column that is compared. */
export const isSameRow = (expected: Row, came: Row, how: Comparison): boolean =>
  columnsOf(expected, came, how).every((column) => isSameIn(column, expected, came, how));

function isSameIn(
  column: string,
  expected: Row,
  came: Row,
  { types, tolerance, floatTolerance }: Comparison,
): boolean {
  if (Object.hasOwn(expected, column) !== Object.hasOwn(came, column)) return false;
  return isSame(expected[column], came[column], { type: types.get(column) ?? '', tolerance, floatTolerance });
}

/** Rows that are paired, each with one of the first that were not expected. */
const MAX_PAIRED = 50;
const MAX_CANDIDATES = 100;

/** Pairs missing rows with the most similar ones that were not expected. */
function paired(
  missing: readonly Row[],
  unexpected: readonly Row[],
  how: Comparison,
): readonly RowDifference[] {
  const rest = [...unexpected];
  const pairs = missing.map((expected, index): RowDifference => {
    if (index >= MAX_PAIRED) return { expected };
    const likeness = rest.slice(0, MAX_CANDIDATES).map((came) => {
      const columns = columnsOf(expected, came, how);
      return columns.length - differentColumns({ expected, came }, how).length;
    });
    const most = Math.max(0, ...likeness);
    if (most === 0 && missing.length + unexpected.length > 2) return { expected };
    const [came] = rest.splice(Math.max(0, likeness.indexOf(most)), 1);
    return came ? { expected, came } : { expected };
  });
  return [...pairs, ...rest.map((came) => ({ came }))];
}

interface ValueComparison extends Tolerances {
  readonly type: string;
}

/** Whether a value of a response is the expected one, which may be written in another way: `1` for `"1"`, a time without its fraction. */
export function isSame(expected: unknown, came: unknown, how: ValueComparison): boolean {
  if (Array.isArray(expected) || Array.isArray(came)) return isSameList(expected, came, how);
  if (isRecord(expected) || isRecord(came)) return isSameRecord(expected, came, how);
  return isSameScalar((expected ?? null) as Scalar, (came ?? null) as Scalar, how);
}

type Scalar = string | number | bigint | boolean | null;

function isSameScalar(expected: Scalar, came: Scalar, { type, ...how }: ValueComparison): boolean {
  if (expected === null || came === null) return expected === came;
  const [one, other] = [String(expected), String(came)];
  if (one === other) return true;
  const areNumbers = NUMBER.test(one) && NUMBER.test(other);
  if (!areNumbers && !(DATE.test(one) && DATE.test(other))) return false;
  const { name } = bareType(type);
  if (areNumbers) return !OF_TEXTS.test(name) && isSameNumber(one, other, { type: name, ...how });
  return name.startsWith('Date') && isSameTime(one, other);
}

function isSameList(expected: unknown, came: unknown, how: ValueComparison): boolean {
  if (!Array.isArray(expected) || !Array.isArray(came)) return false;
  return (
    expected.length === came.length && expected.every((item, at) => isSame(item, came[at], inside(how, at)))
  );
}

function isSameRecord(expected: unknown, came: unknown, how: ValueComparison): boolean {
  if (!isRecord(expected) || !isRecord(came)) return false;
  const keys = Object.keys(expected);
  return (
    keys.length === Object.keys(came).length &&
    keys.every((key) => Object.hasOwn(came, key) && isSame(expected[key], came[key], inside(how, key)))
  );
}

/** The comparison of a value in a list or an object: by the value's own type, if the outer type determines it. */
function inside({ type, ...how }: ValueComparison, key: string | number): ValueComparison {
  const { name, args } = bareType(type);
  const fields = name === 'Tuple' ? args.map(tupleField) : [];
  const field = fields.find((each, at) => at === key || each.name?.replaceAll('`', '') === key);
  const ofItems = { Array: args[0], Map: args[1] }[name];
  return { ...how, type: ofItems ?? field?.type ?? '' };
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const DATE = /^\d{4}-\d\d-\d\d/;
/** Types whose values are texts, even where they look like numbers. */
const OF_TEXTS = /^(?:String|FixedString|Enum\d*)$/;

function isSameNumber(
  expected: string,
  came: string,
  { type, tolerance = 0, floatTolerance = 0 }: ValueComparison,
): boolean {
  if (tolerance > 0) {
    return !type.includes('Float') && !/e/i.test(expected + came)
      ? areWithin(expected, came, tolerance)
      : Math.abs(Number(expected) - Number(came)) <= tolerance;
  }
  if (floatTolerance > 0 && type.includes('Float')) {
    const [a, b] = [Number(expected), Number(came)];
    return Math.abs(a - b) <= floatTolerance * Math.max(Math.abs(a), Math.abs(b));
  }
  // A float is the number that its digits are next to; of any other type each digit counts.
  return type.includes('Float')
    ? Number(expected) === Number(came)
    : canonicalNumber(expected) === canonicalNumber(came);
}

/** Compares each digit: JavaScript's numbers have 53 bits, so that UInt64 and Decimal would be rounded first. */
function areWithin(expected: string, came: string, tolerance: number): boolean {
  const numbers = [expected, came, String(tolerance)].flatMap((text) => exactNumber(text) ?? []);
  const [one = 0n, other = 0n, bound = 0n] = multiples(numbers);
  return one - other <= bound && other - one <= bound;
}

/** Two texts of one time, to the nanosecond. */
function isSameTime(expected: string, came: string): boolean {
  const time = parseIsoTimestamp(expected);
  const beyond = (text: string): string => /\.\d{6}(\d*?)0*(?!\d)/.exec(text)?.[1] ?? '';
  return time !== undefined && time === parseIsoTimestamp(came) && beyond(expected) === beyond(came);
}
