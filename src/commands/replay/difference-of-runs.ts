import { compareRows, differentColumns, type Comparison } from '../endpoint-tests/compare-rows.js';
import { differenceText } from '../endpoint-tests/difference-text.js';
import type { CallResult, ResultRows } from './run-call.js';

/** Tolerated relative difference of Float values: another order of additions changes the last digits. */
export const FLOAT_TOLERANCE = 1e-9;

const howOf = ({ types }: ResultRows): Comparison => ({
  ...{ isOrdered: true, floatTolerance: FLOAT_TOLERANCE, types },
});

/**
 * The columns whose values differ between two runs of one query, such as approximate quantiles. `other rows`: more than values
 * differs, because the data has changed. `other kind`: only one of the runs failed.
 */
export function varyingColumns(
  one: CallResult,
  again: CallResult,
): readonly string[] | 'other rows' | 'other kind' {
  if ('error' in one || 'error' in again) return 'error' in one && 'error' in again ? [] : 'other kind';
  if (one.rows.length !== again.rows.length) return 'other rows';
  const how = howOf(one);
  const columns = one.rows.flatMap((expected, index) =>
    differentColumns({ expected, came: again.rows[index] ?? {} }, how),
  );
  return [...new Set(columns)];
}

/** Whether two results have other columns, or other types of them. */
export const haveOtherColumns = (one: CallResult, other: CallResult): boolean =>
  'rows' in one && 'rows' in other && differenceOfColumns(one, other) !== '';

/**
 * How the second result is different, for people; empty where it is not. Of two errors neither is a result.
 *
 * @param except columns that do not count.
 */
export function differenceOf(
  before: CallResult,
  after: CallResult,
  except: ReadonlySet<string> = new Set(),
): string {
  if ('error' in after) return `it fails with ${after.error}`;
  if ('error' in before) return `it failed with ${before.error}, and now has rows`;
  const ofColumns = differenceOfColumns(before, after);
  return ofColumns === '' ? differenceOfRows(before, after, except) : ofColumns;
}

function differenceOfColumns({ types: before }: ResultRows, { types: after }: ResultRows): string {
  const [one, other] = [before, after].map((types) =>
    [...types].map(([name, type]) => `${name} ${type}`).join(', '),
  );
  return one === other ? '' : `the columns were ${one}; they are ${other}`;
}

function differenceOfRows(before: ResultRows, after: ResultRows, except: ReadonlySet<string>): string {
  if (JSON.stringify(before.rows) === JSON.stringify(after.rows) && before.isTruncated === after.isTruncated)
    return '';
  const how = { ...howOf(before), only: [...before.types.keys()].filter((name) => !except.has(name)) };
  const found = compareRows(before.rows, after.rows, how);
  if (found.differences.length > 0) return differenceText(found, how);
  if (before.isTruncated === after.isTruncated) return '';
  return `the result was ${before.isTruncated ? '' : 'not '}cut at the row cap, and is ${after.isTruncated ? '' : 'not '}now`;
}
