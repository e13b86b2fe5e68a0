/** Spaces between two cells of a table. */
export const GAP = 2;

/** What may be done to the columns of a table, so that it fits. */
export interface Cuts {
  /** Columns that are never cut. */
  readonly whole: ReadonlySet<number>;
  /** A column is not made narrower than this where it is cut. */
  readonly least: number;
}

/**
 * The widths with which the columns of a table fit: the last columns are left out where cutting is not enough, then the widest
 * are cut.
 *
 * @param natural what each column needs.
 * @param available columns of the terminal.
 * @returns a width for each column that remains; at least one.
 */
export function fitColumns(
  natural: readonly number[],
  available: number,
  { whole, least }: Cuts,
): readonly number[] {
  const minima = natural.map((width, column) => (whole.has(column) ? width : Math.min(width, least)));
  let count = natural.length;
  while (count > 1 && totalOf(minima.slice(0, count)) > available) count -= 1;
  let widths: readonly number[] = natural.slice(0, count).map((width) => Math.min(width, available));
  while (totalOf(widths) > available) {
    const cuttable = widths.map((width, column) => (width > (minima[column] ?? 0) ? width : 0));
    const widest = Math.max(...cuttable);
    if (widest === 0) break;
    widths = widths.with(cuttable.lastIndexOf(widest), widest - 1);
  }
  return widths;
}

const totalOf = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1));
