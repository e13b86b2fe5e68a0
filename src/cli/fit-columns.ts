/** Columns between two cells of a table. */
export const GAP = 2;

/** A column is not made narrower than this where it is cut. */
const LEAST_WIDTH = 8;

/**
 * The widths with which the columns of a table fit: the widest are cut first, and where that is not enough the last columns are
 * left out.
 *
 * @param natural what each column needs.
 * @param available columns of the terminal.
 * @returns a width for each column that remains; at least one.
 */
export function fitColumns(natural: readonly number[], available: number): readonly number[] {
  let widths = natural.map((width) => Math.min(width, available));
  while (widths.length > 1 && totalOf(widths.map((width) => Math.min(width, LEAST_WIDTH))) > available)
    widths = widths.slice(0, -1);
  while (totalOf(widths) > available) {
    const widest = Math.max(...widths);
    if (widest <= 1) break;
    const at = widths.lastIndexOf(widest);
    widths = widths.with(at, widest - 1);
  }
  return widths;
}

const totalOf = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1));
